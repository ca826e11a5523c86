/** What the page says about settings, accounts, records and webhooks, in Spanish. */

import type { Texts } from "./en";

export const settings: Texts["settings"] = {
  language: "Idioma",
  theme: "Apariencia",
  themes: { auto: "Como el sistema", light: "Clara", dark: "Oscura" },
  material: "Tablero",
  materials: { paper: "Papel", wood: "Madera", slate: "Pizarra" },
  contrast: "Contraste alto",
  turned: "Girar los tableros",
  confirming: "Confirmar antes de enviar una jugada",
  sound: "Sonidos y vibración",
  name: "Tu nombre",
  rename: "Cambiar",
  nameHint: "de 1 a 24 caracteres",
  renamed: "Nombre cambiado.",
  close: "Cerrar",
};

export const account: Texts["account"] = {
  register: "Registrar este nombre",
  registered: "Ahora nadie más puede tener este nombre.",
  hint: "Un invitado solo existe en este navegador. Si registras tu nombre, nadie más puede tenerlo, otros pueden retarte con él y, con su código de recuperación, puedes entrar desde cualquier dispositivo.",
  code: "Tu código de recuperación:",
  copy: "Copiar",
  codeHint: "Apúntalo ahora: no se volverá a mostrar. Quien lo tenga puede jugar en tu nombre.",
  form: "Un nombre registrado tiene de 2 a 24 letras de la a a la z, cifras, - y _, y empieza por una letra.",
  newCode: "Código nuevo",
  download: "Descargar mis datos",
  downloaded: (n: number) => `Líneas: ${n}`,
  remove: "Borrar la cuenta",
  removeSure: "¿Borrar tu cuenta? Otros podrán usar el nombre. Tus partidas se conservan, sin él.",
  removeVouched: "¿Borrar tu cuenta aquí? Tus partidas se conservan, sin tu nombre.",
  vouched: "Tu nombre y tu cuenta vienen del servicio con el que entras.",
  removeYes: "Sí, borrarla",
  recover: "Tengo un nombre registrado",
  recoverName: "Nombre registrado",
  recoverCode: "Código de recuperación",
  recoverGo: "Entrar",
  unreached: "No se puede conectar con el servidor. Inténtalo más tarde.",
};

export const replay: Texts["replay"] = {
  title: "Repetición",
  drop: "Suelta aquí el registro de una partida, o",
  open: "Para ver el registro de una partida,",
  hint: "Los registros vienen de «Descargar registro» en una partida, o de pierule export.",
  bad: "Este archivo no es el registro de una partida.",
  broken: (why) => `Este registro no es correcto: ${why}`,
  chain: "sus eventos no encajan entre sí",
  digest: (ply) => `el tablero tras la jugada ${ply} es distinto`,
  other: "Otro archivo",
  of: (name) => `Registro de ${name}`,
  verified: "Todos los tableros coinciden con el registro.",
  took: "tiempo usado",
  copy: "Copiar registro",
  uncopied: "El navegador no permite copiar.",
};

export const webhook: Texts["webhook"] = {
  title: "Webhook: un aviso cuando te toca",
  about: "Para partidas lentas: el servidor llama a esta dirección cuando te toca y no estás conectado.",
  url: "Dirección",
  set: "Activar webhook",
  remove: "Quitar webhook",
  done: "El servidor llamará a esta dirección.",
  removed: "El servidor ya no llama a ninguna dirección.",
  form: "Una dirección empieza por https:// y nombra un servidor al que todos pueden llegar.",
  secret: "La clave que firma las llamadas:",
  secretHint: "Cópiala ahora: la página no la vuelve a mostrar.",
};
