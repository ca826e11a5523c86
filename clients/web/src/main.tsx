import { render } from "preact";
import { App } from "./app";
import { registerWorker } from "./offline/worker";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/board.css";
import "./styles/screens.css";
import "./styles/room.css";
import "./styles/controls.css";
import "./styles/fitting.css";
import "./styles/people.css";
import "./styles/home.css";

render(<App />, document.getElementById("app")!);
registerWorker();
void import("./board/art").catch(() => {}); // without it boards are flat
