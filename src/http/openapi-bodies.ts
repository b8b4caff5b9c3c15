// Bodies of the calls that take one, with an example each. They stand here rather than at the routes: a route is given a
// body that is read already, JSON and XML alike, and has no use for a schema of either.

const text = (description: string) => ({ type: 'string', description });
const optional = (description: string) => ({ type: ['string', 'null'], description });

const BANK_CARD = {
	type: 'object',
	required: ['Number', 'ExpirationDate'],
	properties: {
		Type: optional('Checked against the number; a mismatch is a warning.'),
		Virtual: { type: 'object', description: 'Attributes `@isMultiuse`, `@currency`, `@maxAmount`.' },
		Number: text('12 digits to 22 characters; blanks and hyphens are tolerated.'),
		NameOnCard: optional('As on the card.'),
		ExpirationDate: {
			type: 'object',
			required: ['Month', 'Year'],
			properties: { Month: text('01 to 12'), Year: text('Four digits.') },
		},
		IssueNumber: optional('Some debit cards have one.'),
		OwnerID: optional('Yours.'),
		CVV: optional('3 or 4 digits.'),
	},
};
const CARD = {
	type: 'object',
	required: ['BankCard'],
	properties: { '@schemaVersion': text('1.0'), BankCard: BANK_CARD },
};
const CARD_JSON = {
	BankCard: { Type: 'Visa', Number: '4111111111111111', ExpirationDate: { Month: '04', Year: '2030' }, CVV: '306' },
};
const CARD_XML = `<BankCardDetails schemaVersion="1.0"><BankCard><Type>Visa</Type><Number>4111111111111111</Number><ExpirationDate><Month>04</Month><Year>2030</Year></ExpirationDate><CVV>306</CVV></BankCard></BankCardDetails>`;

const DESTINATION = {
	type: 'object',
	required: ['DestinationType'],
	properties: {
		DestinationType: {
			type: 'string',
			enum: ['HostName', 'Owner', 'OtherMerchant', 'OtherUser', 'SFTP', 'Gateway'],
		},
		DestinationData: optional('The host name, user ID or gateway that is meant.'),
		Quota: { type: 'integer', minimum: 1, maximum: 50 },
	},
};
const POLICY = {
	type: 'object',
	properties: {
		CvvEndRetentionDate: optional('ISO 8601, at most 48 months ahead.'),
		DeleteCardUponCvvCleanup: { type: 'boolean' },
		CvvRetentionPolicyList: { type: 'array', maxItems: 50, items: DESTINATION },
	},
};
const POLICY_JSON = {
	DeleteCardUponCvvCleanup: false,
	CvvRetentionPolicyList: [{ DestinationType: 'HostName', DestinationData: 'partner.example', Quota: 2 }],
};
const POLICY_XML = `<CardCvvRetentionPolicy><DeleteCardUponCvvCleanup>false</DeleteCardUponCvvCleanup><CvvRetentionPolicyList><CvvRetentionPolicyDestination><DestinationType>HostName</DestinationType><DestinationData>partner.example</DestinationData><Quota>2</Quota></CvvRetentionPolicyDestination></CvvRetentionPolicyList></CardCvvRetentionPolicy>`;

const DATA_BLOCK = {
	type: 'object',
	required: ['Payload'],
	properties: { Payload: text('What is to be kept.'), Reference: optional('Yours; need not be unique.') },
};

const FILE = {
	required: true,
	content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
};

/** By operation, as `POST /path/{parameter}`. */
export const REQUEST_BODIES: Readonly<Record<string, object>> = {
	'POST /api/payments/paycard': either(CARD, CARD_JSON, CARD_XML),
	'PUT /api/payments/paycard/{cardToken}/cvvRetentionPolicy': either(POLICY, POLICY_JSON, POLICY_XML),
	'PUT /api/payments/paycard/{cardToken}/cvvRetentionPolicy/{destinationType}/{destinationData}': either(
		{ type: 'object', properties: { Quota: { type: 'integer', minimum: 1, maximum: 50 } } },
		{ Quota: 2 },
		'<CvvRetentionPolicyDestination><Quota>2</Quota></CvvRetentionPolicyDestination>',
	),
	'POST /api/datablocks': either(
		DATA_BLOCK,
		{ Payload: 'a note', Reference: 'order-1' },
		'<DataBlock><Payload>a note</Payload><Reference>order-1</Reference></DataBlock>',
	),
	'POST /api/payments/paycard/batch': {
		required: true,
		content: {
			'application/x-ndjson': { schema: CARD },
			'application/json': { schema: { type: 'array', items: CARD }, example: [CARD_JSON] },
		},
	},
	'POST /api/files/tokenize': FILE,
	'POST /api/files/detokenize': FILE,
};

function either(schema: object, json: unknown, xml: string): object {
	return {
		required: true,
		content: {
			'application/json': { schema, example: json },
			'application/xml': { schema: { type: 'string' }, example: xml },
		},
	};
}
