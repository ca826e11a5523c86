/** The rules of the games, in English. */

export const rules = {
  title: "Rules",
  pie: "All three games begin with a cut: one player sets something up, and the other then chooses a color. So it pays to cut fairly.",
  before: "Before",
  after: "After",
  games: {
    loose: {
      by: "Luis Bolaños Mures, 2012",
      text: [
        "Loose is played on the points of a square grid. Points next to each other along a line are neighbors; connected stones of one color are a group.",
        "The first player names a komi: an even number of points that White gets at the end. The second player takes Black or White. Black begins.",
        "A turn is one stone on an empty point, or a pass. An empty point next to a group is its liberty. A liberty is false if it touches stones of both colors and no empty point; otherwise it is true.",
        "After a stone is placed, all enemy groups without a true liberty change to your color at once. After that every group on the board must have a true liberty, otherwise the stone may not be placed.",
        "Two passes in succession end the game. Whoever has more stones wins; White's komi counts. On a tie whoever passed last loses.",
      ],
      captions: [
        "White's stone on a1 has one liberty left, a2. Black plays a2, and it changes color.",
        "The ringed point a1 is false: it touches both colors and no empty point. It is nobody's liberty.",
      ],
    },
    veletas: {
      by: "Luis Bolaños Mures, 2013",
      text: [
        "Veletas is played on squares, with neutral shooters that both players move. Whoever claims more than half of them first wins.",
        "The first player places some shooters and a black stone. The second player takes Black or White. White then places the other shooters and a white stone. Shooters are not set up on the outermost ring. Black begins.",
        "In a turn you either move one unclaimed shooter like a chess queen and then shoot one stone of your color from there, or only shoot from where a shooter stands. A shot flies like a queen, too, and lands on an empty square. Stones block sight; shooters never do.",
        "A shooter that sees no empty square any more is trapped and claimed at once: by the color with the larger group next to it. If both are equally large, the opponent of whoever shot last claims it.",
        "Claimed shooters stay where they are. The game ends as soon as one color has claimed a majority.",
      ],
      captions: ["Black moves the shooter from f4 to d4 and shoots at e4."],
    },
    taugo: {
      by: "Saïd Gadwen, 2023",
      text: [
        "Taugo is played on the points of a grid whose outermost points are edge points: no line runs along the edge, so each of them has one neighbor, and the corners are no points. The second ring is the perimeter line.",
        "The first player places a black stone on an inner point. The second player takes Black or White. Then White plays.",
        "A stone is isolated, lateral or central if it touches no, one, or at least two stones of its own color. Four stones of one color in a 2 × 2 square are a knot, and you may not make one of your color.",
        "A turn is one stone on any empty inner point, or a segment: a row of stones that grows in a straight line from a stone of yours, over empty points. Or a pass.",
        "A segment may cut through central enemy stones, which it replaces, if it grows from a lateral stone of yours. The point behind the stones that it cuts must be empty, and it must reach it. Only there it may also reach an edge point. Isolated and lateral stones cannot be cut.",
        "Two passes in succession end the game. Each string scores 1 + 2 + … + k for its k stones on the perimeter line, and all stones on edge points together score 1 + 2 + … + e. The higher score wins, then the fewer strings.",
      ],
      captions: [
        "White grows b3-d3 from e3, which is lateral. It cuts d3, which is central, reaches c3 behind it and goes on.",
      ],
    },
  } as Record<string, { by: string; text: string[]; captions: string[] }>,
};
