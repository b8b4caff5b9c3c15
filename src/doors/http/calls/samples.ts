// Sample values that several examples in the documentation share: one token, one card, one time.

export const TOKEN = '9e107d9d372bb6826bd81d3542a419d6';
export const TOKEN_URI = `https://vault.example/api/payments/paycard/${TOKEN}`;
export const CREATED = '2026-03-02T09:30:00.000Z';
export const CVV_ENDS = '2026-03-09T09:30:00.000Z';
/** A sample id of a job or a transaction. */
export const ID = '01kjpz8q4y6t3wxa7n5c2dme9r';

export const CLEAR_FILE = 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2029\n';
export const TOKEN_FILE = CLEAR_FILE.replace('4111111111111111', TOKEN);
/** The lengths of the example file with card numbers and with tokens, which the examples of jobs show. */
export const FILE_BYTES = { clear: CLEAR_FILE.length, token: TOKEN_FILE.length };
