/** What the page says of who you are and of other players, in Spanish. */

import type { Texts } from "./en";

const games = (n: number) => (n === 1 ? "1 partida en curso" : `${n} partidas en curso`);

export const people: Texts["people"] = {
  signOut: "Cerrar sesión",
  signOutSure:
    "¿Cerrar sesión en este dispositivo? Para volver necesitas tu código de recuperación. La página empieza entonces como un invitado nuevo.",
  signOutYes: "Sí, cerrar sesión",
  newCodeSure: "¿Crear un código nuevo? El anterior deja de servir al momento.",
  newCodeYes: "Sí, crear uno nuevo",
  leaving: (n) =>
    `Tienes ${games(n)}. ${n === 1 ? "Sigue sin ti, y tu rival puede" : "Siguen sin ti, y tus rivales pueden"} reclamar la victoria.`,
  changed: {
    signed_out: () => "Has cerrado sesión. Ahora eres un invitado nuevo.",
    deleted: () => "Tu cuenta está borrada. Ahora eres un invitado nuevo.",
    signed_in: (name) => `Ahora eres ${name}.`,
  },
};
