// What access.test.ts and access.slow.test.ts share.

export const SMALL_KEY = { 'may-Tokenize': 'yes', 'may-QueryTokens': 'yes' };

export const newKeyOn = (body: string) => /<code id="new-key">([^<]+)<\/code>/.exec(body)?.[1];
