/** What the page says about house bots, the end of a game, notifications and keys, in Spanish. */

import type { Texts } from "./en";

export const bots: Texts["bots"] = {
  title: "Juega con un bot",
  levels: { random: "Principiante", "one-step": "De club", search: "Fuerte" },
  other: "Bot de la casa",
  free: "libre",
  busy: "ocupado",
  play: (name) => `Jugar con ${name}`,
  again: (name) => `Jugar otra vez con ${name}`,
  calling: (name, what) => `${name} ya viene: ${what}`,
  wait: (name) => `${name} ya juega todas las partidas que puede. Seguirás esperando hasta que tenga tiempo.`,
};

export const result: Texts["result"] = {
  won: "ganó",
  youWon: "Has ganado.",
  youLost: "Has perdido.",
  whyWon: {
    resigned: (who) => `${who} se ha rendido.`,
    flagged: (who) => `A ${who} se le acabó el tiempo.`,
    left: (who) => `${who} se ha ido.`,
  },
  whyLost: {
    resigned: "Te has rendido.",
    flagged: "Se te acabó el tiempo.",
    left: "Te fuiste de la partida.",
  },
  draw: "Tablas.",
  resigned: (winner, loser) => `Gana ${winner}: ${loser} se ha rendido`,
  flagged: (winner, loser) => `Gana ${winner}: a ${loser} se le acabó el tiempo`,
  agreed: "Tablas de común acuerdo.",
  aborted: "La partida no llegó a empezar. Nadie ha perdido.",
  closed: "Este servidor ha terminado la partida.",
  voided: "Los operadores de este servidor han anulado el resultado.",
  left: (winner, loser) => `Gana ${winner}: ${loser} se ha ido`,
  leftNobody: "Un jugador se ha ido. La partida queda sin ganador.",
  word: (text) => `Dicen los operadores: ${text}`,
  limit:
    "Desde una misma dirección de internet solo puede haber cierto número de partidas sin reloj y sin terminar. En esta era en la que más tiempo hacía que nadie jugaba.",
  other: (who) => `Gana ${who}`,
  noWinner: "La partida ha terminado sin ganador.",
};

export const ending: Texts["ending"] = {
  review: "Repasar",
  share: "Compartir",
  other: "Otro rival",
};

export const calls: Texts["calls"] = {
  setting: "Avísame cuando me toque",
  denied:
    "Este navegador no lo permite. Permite las notificaciones de esta página en los ajustes del navegador.",
  title: "Te toca",
  body: (game, who) => (who ? `${game}, contra ${who}` : game),
};

export const keys: Texts["keys"] = {
  title: "Teclas",
  rows: [
    ["?", "mostrar esta lista"],
    ["← →", "una jugada atrás o adelante"],
    [", .", "lo mismo, mientras estás en el tablero"],
    ["← ↑ → ↓", "en el tablero: de punto en punto"],
    ["Intro", "en el tablero: elegir el punto"],
    ["Esc", "deshacer lo elegido"],
    ["f", "girar el tablero"],
    ["↑ ↓", "en un análisis: otra variante"],
  ],
};
