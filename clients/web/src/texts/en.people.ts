/** What the page says of who you are and of other players, in English. */

const games = (n: number) => (n === 1 ? "1 running game" : `${n} running games`);

export const people = {
  signOut: "Sign out",
  signOutSure:
    "Sign out on this device? You need your recovery code to come back. This page then starts as a new guest.",
  signOutYes: "Yes, sign out",
  newCodeSure: "Make a new recovery code? Your old code stops working at once.",
  newCodeYes: "Yes, make a new one",
  /** What deleting the account does to your running games. */
  leaving: (n: number) =>
    `You have ${games(n)}. ${n === 1 ? "It goes on without you, and your opponent" : "They go on without you, and your opponents"} can claim the win.`,
  /** What the page says once, after it has loaded itself again as somebody else. */
  changed: {
    signed_out: () => "You have signed out. You are a new guest now.",
    deleted: () => "Your account is deleted. You are a new guest now.",
    signed_in: (name: string) => `You are ${name} now.`,
  },
  unblock: "Unblock",
  blocked: "blocked",
  isBlocked: "You have blocked this player: you do not play each other, and you do not see what they write.",
  blocks: (n: number) => `Muted and blocked players (${n})`,
  yourself: "You cannot challenge yourself.",
  sent: "Sent. You see it at the top of the page until they answer.",
  challenges: {
    declined: (who) => `${who} does not want to play now.`,
    blocked: (who) => `${who} does not want to play with you.`,
    no_account: (who) => `Nobody is registered as ${who}.`,
    expired: (who) => `Your challenge to ${who} has ended.`,
    limit: (who) => `Too many challenges wait for ${who}. Try again later.`,
  } as Record<string, (who: string) => string>,
  nameForm:
    "A name has 1 to 24 characters, with no brackets and nothing invisible. It must not look like somebody’s registered name.",
  wholeName: "Write the whole name.",
  isWaiting: "is waiting",
  casual: "Casual",
  canCount: "Rated if possible",
};
