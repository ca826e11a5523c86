import { render } from "preact";
import { App } from "./app";
import "./bells";
import { whenIdle } from "./idle";
import { registerWorker } from "./offline/worker";
import { spoken } from "./texts";
import "./styles/type.css";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/board.css";
import "./styles/screens.css";
import "./styles/room.css";
import "./styles/controls.css";
import "./styles/fitting.css";
import "./styles/people.css";
import "./styles/home.css";

/** How long, in ms, the first screen waits for the texts of its language. */
const PATIENCE = 3_000;

void Promise.race([spoken, new Promise((late) => setTimeout(late, PATIENCE))]).then(() =>
  render(<App />, document.getElementById("app")!),
);
registerWorker();
// Ahead of time, so that a game opens at once. If this fails, the screen loads it when it is needed.
whenIdle(() => void import("./room/RoomScreen").catch(() => {}));
void import("./board/art").catch(() => {}); // without it boards are flat
