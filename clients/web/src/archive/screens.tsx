/** The screens of the archive. They are loaded when somebody comes here. */

import "../styles/archive.css";

export { CutsScreen } from "./CutsScreen";
export { Explorer } from "./Explorer";
export { GameScreen } from "./GameScreen";
export { GamesScreen } from "./GamesScreen";
export { PlayerScreen } from "./PlayerScreen";
export { RatingsScreen } from "./RatingsScreen";
