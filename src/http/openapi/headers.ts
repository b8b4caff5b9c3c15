// The headers of answers for the OpenAPI document. `X-Request-Id` is on every answer, which the introduction says.

type Headers = Readonly<Record<string, object>>;

const text = (description: string) => ({ schema: { type: 'string' }, description });

const WARNINGS = { 'X-service-Tokenization-Warnings': text('Absent when there is nothing to warn of.') };
/** The header has an entry for every card by its position, separated by `;;` (spec §4.1). */
const CAPTURED: Headers = {
	'X-service-cardUri': text('URIs of the tokenized cards, separated by commas; the profile may name another header.'),
	'X-service-Tokenization-Errors': text('By card, separated by `;;`; absent when every card was tokenized.'),
	'X-service-Tokenization-Warnings': text('By card, separated by `;;`; absent when there is nothing to warn of.'),
};

export const RETRY_AFTER: Headers = { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } };

/** The headers by operation and status; each 201 has a `Location` besides. */
const HEADERS: Readonly<Record<string, Headers>> = {
	'POST /api/payments/paycard 201': WARNINGS,
	'POST /api/files/tokenize 202': { Location: text('The path of the job.') },
	'POST /api/files/detokenize 202': { Location: text('The path of the job.') },
	'POST /api/paymentGateway 200': { Location: text('The URI of the transaction.') },
	'POST /api/payments/paycard/capture 200': CAPTURED,
	'POST /api/payments/paycard/capture default': CAPTURED,
	'POST /api/booker/{profileName} 200': CAPTURED,
	'POST /api/booker/{profileName} default': CAPTURED,
	'POST /api/payments/paycard/capture/sftp 200': {
		'X-service-Sftp-Host-Key': text('Fingerprint of the key the host has shown.'),
	},
};

/** Returns the headers of one answer, `POST /path/{parameter} 201`, or undefined if it has none of its own. */
export function headersOf(answer: string): Headers | undefined {
	const made = answer.endsWith(' 201') ? { Location: text('The URI of what was made.') } : undefined;
	const listed = HEADERS[answer];
	return made || listed ? { ...made, ...listed } : undefined;
}
