/** What lessons and the screen around them say, in English. */

export const learning = {
  learn: {
    title: "Learn",
    lead: "Learn by doing: short lessons on a small board. You need no account, you may skip any lesson, and the page remembers how far you got.",
    home: "New here? Learn a game in five minutes, by playing.",
    link: "Learn to play",
    byDoing: "Learn by doing",
    progress: (done: number, of: number) => `${done} of ${of} done`,
    start: (title: string) => `Start: ${title}`,
    next: (title: string) => `Next lesson: ${title}`,
    lesson: (at: number, of: number) => `Lesson ${at} of ${of}`,
    done: "done",
    all: "All lessons",
    allDone: "You have done all lessons. Now play!",
    again: "Begin again",
    sure: "Forget which lessons of this game you have done?",
    rules: "Read the rules",
    play: "Play your first game",
    playHint: (size: string) => `Against a bot, on the smallest board (${size}), without a clock.`,
    none: "This game has no lessons. Its rules have drawn examples.",
    noLesson: "There is no such lesson.",
    unread: "The lessons could not be loaded. Reload the page.",
  },
  lessons: {
    step: (at: number, of: number) => `Step ${at} of ${of}`,
    aside: "This is not part of the lesson.",
    next: "Continue",
    again: "Try again",
    done: "You finished this lesson.",
    restart: "Start again",
  },
};
