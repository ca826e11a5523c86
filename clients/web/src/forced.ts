/** Where the system forces its own colors, the page loads a style sheet for that. It comes with the room's
 * screen, when the page has nothing else to do: few need it. */

import href from "./styles/forced.css?url";

if (matchMedia("(forced-colors: active)").matches)
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
