/** What the page says about you and about other players, in English. */

import { count } from "./en.count";

const games = (n: number) => count(n, "running game", "running games");

export const people = {
  signOut: "Sign out",
  signOutSure:
    "Sign out on this device? You need your recovery code to come back. Until then, you are a new guest here.",
  signOutYes: "Yes, sign out",
  newCodeSure:
    "Make a new recovery code? Your old code stops working at once, and other devices are signed out.",
  newCodeYes: "Yes, make a new one",
  renameSure: (to: string, from: string) =>
    `Change your name to ${to}? A new recovery code replaces the old one at once. ${from} stays reserved for you for 30 days, then others can take it.`,
  renameYes: "Yes, change it",
  no: "No, go back",
  elsewhere: "Sign out everywhere else",
  elsewhereSure: "Sign out on all other devices? This one stays signed in.",
  elsewhereDone: "Signed out on all other devices.",
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
  sent: "Sent. It stays at the top of the page until they answer.",
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
