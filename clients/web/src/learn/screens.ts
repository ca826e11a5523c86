/** The screens to learn and to read the rules of a game. They are loaded when somebody comes here. */

import "../styles/learn.css";

export { RulesScreen } from "../rules/RulesScreen";
export { LearnScreen } from "./LearnScreen";
