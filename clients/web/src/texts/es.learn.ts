/** What lessons and the screen around them say, in Spanish. */

import type { Texts } from "./en";

export const learning: Pick<Texts, "learn" | "lessons"> = {
  learn: {
    title: "Aprender",
    lead: "Aprende jugando: lecciones cortas en un tablero pequeño. No necesitas cuenta, puedes saltar cualquier lección y la página recuerda por dónde vas.",
    home: "¿Es tu primera vez? Aprende un juego en cinco minutos, jugando.",
    link: "Aprende a jugar",
    byDoing: "Aprende jugando",
    progress: (done, of) => `${done} de ${of} hechas`,
    start: (title) => `Empezar: ${title}`,
    next: (title) => `Siguiente lección: ${title}`,
    lesson: (at, of) => `Lección ${at} de ${of}`,
    done: "hecha",
    all: "Todas las lecciones",
    allDone: "Has hecho todas las lecciones. ¡Ahora, a jugar!",
    again: "Empezar de cero",
    sure: "¿Olvidar qué lecciones de este juego has hecho?",
    rules: "Leer las reglas",
    play: "Juega tu primera partida",
    playHint: (size) => `Contra un bot, en el tablero más pequeño (${size}) y sin reloj.`,
    none: "Este juego no tiene lecciones. Sus reglas tienen ejemplos dibujados.",
    noLesson: "No existe esa lección.",
    unread: "No se pudieron cargar las lecciones. Vuelve a cargar la página.",
  },
  lessons: {
    step: (at, of) => `Paso ${at} de ${of}`,
    aside: "Esto no forma parte de la lección.",
    next: "Seguir",
    again: "Otra vez",
    done: "Has terminado esta lección.",
    restart: "Empezar de nuevo",
  },
};
