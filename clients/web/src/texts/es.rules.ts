/** The rules of the games, in Spanish. */

import type { Texts } from "./en";

export const rules: Texts["rules"] = {
  title: "Reglas",
  pie: "Los tres juegos empiezan con un corte: un jugador prepara algo y el otro elige color. Por eso conviene cortar con justicia.",
  before: "Antes",
  after: "Después",
  games: {
    loose: {
      by: "Luis Bolaños Mures, 2012",
      text: [
        "Loose se juega en los puntos de una cuadrícula. Los puntos contiguos en una línea son vecinos; las piedras conectadas del mismo color son un grupo.",
        "El primer jugador propone un komi: un número par de puntos que reciben las blancas al final. El segundo elige negras o blancas. Empiezan las negras.",
        "En cada turno se pone una piedra en un punto vacío o se pasa. Un punto vacío junto a un grupo es su libertad. Es falsa si toca piedras de los dos colores y ningún punto vacío; si no, es verdadera.",
        "Tras poner la piedra, todos los grupos enemigos sin libertad verdadera cambian a tu color a la vez. Después todos los grupos del tablero deben tener una libertad verdadera; si no, la piedra no se puede poner.",
        "Dos pases seguidos terminan la partida. Gana quien tiene más piedras; el komi cuenta para las blancas. Si hay empate pierde quien pasó el último.",
      ],
      captions: [
        "A la piedra blanca de a1 le queda una libertad, a2. Las negras juegan a2 y cambia de color.",
        "El punto señalado a1 es falso: toca los dos colores y ningún punto vacío. No es libertad de nadie.",
      ],
    },
    veletas: {
      by: "Luis Bolaños Mures, 2013",
      text: [
        "Veletas se juega en casillas, con veletas neutrales que mueven los dos jugadores. Gana quien antes hace suyas más de la mitad.",
        "El primer jugador coloca algunas veletas y una piedra negra. El segundo elige negras o blancas. Las blancas colocan las demás veletas y una piedra blanca. Las veletas no se colocan en el anillo exterior. Empiezan las negras.",
        "En cada turno mueves una veleta libre como una dama de ajedrez y disparas desde allí una piedra de tu color, o solo disparas desde donde haya una veleta. El disparo también vuela como una dama y cae en una casilla vacía. Las piedras tapan la vista; las veletas nunca.",
        "Una veleta que ya no ve ninguna casilla vacía queda atrapada y se gana en el acto: la gana el color con el grupo más grande junto a ella. Si son iguales, la gana el rival de quien acaba de disparar.",
        "Las veletas ganadas se quedan donde están. La partida termina en cuanto un color tiene la mayoría.",
      ],
      captions: ["Las negras mueven la veleta de f4 a d4 y disparan a e4."],
    },
    taugo: {
      by: "Saïd Gadwen, 2023",
      text: [
        "Taugo se juega en los puntos de una cuadrícula cuyos puntos exteriores son puntos del borde: ninguna línea va por el borde, así que cada uno tiene un solo vecino y las esquinas no son puntos. El segundo anillo es la línea del perímetro.",
        "El primer jugador pone una piedra negra en un punto interior. El segundo elige negras o blancas. Después juegan las blancas.",
        "Una piedra es aislada, lateral o central si toca ninguna, una o al menos dos piedras de su color. Cuatro piedras de un color en un cuadrado de 2 × 2 son un nudo, y no puedes hacer uno de tu color.",
        "En cada turno pones una piedra en un punto interior vacío, o un segmento: una fila de piedras que crece en línea recta desde una piedra tuya por puntos vacíos. O pasas.",
        "Un segmento puede cortar piedras enemigas centrales, a las que sustituye, si crece de una piedra lateral tuya. El punto tras las piedras cortadas debe estar vacío y hay que llegar a él. Solo allí puede ser también un punto del borde. Las aisladas y laterales no se cortan.",
        "Dos pases seguidos terminan la partida. Cada cadena puntúa 1 + 2 + … + k por sus k piedras en el perímetro, y todas las piedras del borde juntas 1 + 2 + … + e. Gana la mayor puntuación, y después quien tenga menos cadenas.",
      ],
      captions: [
        "Las blancas crecen b3-d3 desde e3, que es lateral. Cortan d3, que es central, llegan a c3, detrás, y siguen.",
      ],
    },
  },
};
