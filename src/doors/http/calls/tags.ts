/** The groups of calls in the documentation, in the order in which its page shows them. */
export const TAGS = {
	credentials: 'Session tokens, and the certificate that access tokens are made with.',
	tokens: 'Cards in, tokens out; what is known about a token, who may use it, and its end.',
	cvv: 'How long a CVV is kept and for whom.',
	'third parties': 'Requests to others, with cards in the place of tokens or the other way round.',
	gateway: 'Payments through a gateway.',
	'card requests': 'Links that ask somebody for a card.',
	forms: 'Pages in which cards are entered and shown.',
	wallet: 'The payments library.',
	files: 'Files of bookings, streamed.',
	jobs: 'Files that are processed on their own, over HTTP or sFTP.',
	routes: 'Files that are fetched, processed and delivered by themselves.',
	events: 'What happens, told to receivers over HTTP and by mail.',
	'data blocks': 'Sealed texts that are no cards.',
	service: 'What this installation is, and what was called here.',
} as const;

export type Tag = keyof typeof TAGS;
