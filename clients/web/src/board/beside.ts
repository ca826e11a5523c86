/** The code of the page's own refusal of a tap on the board where an action is a number. Its text is the
 * number's name. The server would say how the action is written, which is for people who type it. */
export const BESIDE = "beside";
