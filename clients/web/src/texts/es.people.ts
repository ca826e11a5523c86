/** What the page says about you and about other players, in Spanish. */

import { count } from "./es.count";
import type { Texts } from "./en";

const games = (n: number) => count(n, "partida en curso", "partidas en curso");

export const people: Texts["people"] = {
  signOut: "Cerrar sesión",
  signOutSure:
    "¿Cerrar sesión en este dispositivo? Para volver necesitas tu código de recuperación. Hasta entonces, aquí eres un invitado nuevo.",
  signOutYes: "Sí, cerrar sesión",
  newCodeSure:
    "¿Crear un código nuevo? El anterior deja de servir al momento, y se cierra tu sesión en los demás dispositivos.",
  newCodeYes: "Sí, crear uno nuevo",
  renameSure: (to, from) =>
    `¿Cambiar tu nombre a ${to}? Un código nuevo sustituye al momento al anterior. ${from} queda reservado para ti 30 días; después otros podrán usarlo.`,
  renameYes: "Sí, cambiarlo",
  no: "No, volver",
  elsewhere: "Cerrar las demás sesiones",
  elsewhereSure: "¿Cerrar tu sesión en todos los demás dispositivos? En este sigue abierta.",
  elsewhereDone: "Se ha cerrado tu sesión en todos los demás dispositivos.",
  leaving: (n) =>
    `Tienes ${games(n)}. ${n === 1 ? "Sigue sin ti, y tu rival puede" : "Siguen sin ti, y tus rivales pueden"} reclamar la victoria.`,
  changed: {
    signed_out: () => "Has cerrado sesión. Ahora eres un invitado nuevo.",
    deleted: () => "Tu cuenta está borrada. Ahora eres un invitado nuevo.",
    signed_in: (name) => `Ahora eres ${name}.`,
  },
  unblock: "Desbloquear",
  blocked: "bloqueado",
  isBlocked: "Has bloqueado a esta persona: no juega contigo y no ves lo que escribe.",
  blocks: (n) => `Personas silenciadas y bloqueadas (${n})`,
  yourself: "No puedes retarte a ti mismo.",
  sent: "Enviado. Queda al principio de la página hasta que respondan.",
  challenges: {
    declined: (who) => `${who} no quiere jugar en este momento.`,
    blocked: (who) => `${who} no quiere jugar contigo.`,
    no_account: (who) => `Nadie está registrado como ${who}.`,
    expired: (who) => `Tu reto a ${who} ha terminado.`,
    limit: (who) => `Demasiados retos esperan a ${who}. Inténtalo más tarde.`,
  },
  nameForm:
    "Un nombre tiene de 1 a 24 caracteres, sin paréntesis ni nada invisible, y no se parece al nombre registrado de otra persona.",
  wholeName: "Escribe el nombre completo.",
  isWaiting: "espera",
  casual: "Amistosa",
  canCount: "Con clasificación si se puede",
};
