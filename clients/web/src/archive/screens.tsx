/** The screens of the archive, of records, and the analysis board. They are loaded when somebody comes here. */

import "../styles/archive.css";

export { AnalysisScreen } from "../analysis/AnalysisScreen";
export { CutsScreen } from "./CutsScreen";
export { Explorer } from "./Explorer";
export { GameScreen } from "./GameScreen";
export { GamesScreen } from "./GamesScreen";
export { PlayerScreen } from "./PlayerScreen";
export { RatingsScreen } from "./RatingsScreen";
export { ReplayScreen } from "../replay/ReplayScreen";
