/** What the page says without a connection, in Spanish. */

import type { Texts } from "./en";

export const offline: Pick<Texts, "offline"> = {
  offline: {
    offline: "No tienes conexión.",
    unreached: "No se puede conectar con el servidor.",
    works:
      "Las lecciones, las reglas y las partidas que ya abriste aquí funcionan. Lo demás continuará cuando vuelva la conexión.",
    play: "Para jugar hace falta conexión. Los botones funcionarán en cuanto la haya.",
    opened: "Partidas que abriste aquí",
    noneOpened: "Todavía ninguna. Cada partida terminada que abras se guarda aquí.",
  },
};
