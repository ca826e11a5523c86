/** The screens of lessons and rules, loaded when you first open one. */

import "../styles/learn.css";

export { RulesScreen } from "../rules/RulesScreen";
export { LearnScreen } from "./LearnScreen";
