/** House bots, as far as one can tell who is one. */

/** Whether a name is that of a bot: they say so themselves. */
export const isBot = (name: string | null | undefined): boolean => name?.startsWith("Bot (") ?? false;
