// Bodies of the calls that take one, with an example each. They stand here rather than at the routes: a route is given a
// body that is read already, JSON and XML alike, and has no use for a schema of either.

import { OPERATIONS } from '../../gateway/operation.ts';
import { CVV_DESTINATION_TYPES } from '../../vault/cvv-store.ts';
import { WALLET_OPERATIONS } from '../../wallet/operation.ts';

const text = (description: string) => ({ type: 'string', description });
const optional = (description: string) => ({ type: ['string', 'null'], description });

const VIRTUAL = {
	type: ['object', 'null'],
	properties: {
		'@isMultiuse': { type: ['boolean', 'string', 'null'] },
		'@currency': optional('Three letters of ISO 4217.'),
		'@maxAmount': { type: ['number', 'string', 'null'] },
	},
};
const BANK_CARD = {
	type: 'object',
	required: ['Number', 'ExpirationDate'],
	properties: {
		Type: optional('Checked against the number; a mismatch is a warning.'),
		Virtual: VIRTUAL,
		Number: text('12 digits to 22 characters; blanks and hyphens are tolerated.'),
		NameOnCard: optional('As on the card.'),
		ExpirationDate: {
			type: 'object',
			required: ['Month', 'Year'],
			properties: {
				Month: { ...text('01 to 12'), pattern: '^(0[1-9]|1[0-2])$' },
				Year: { ...text('Four digits.'), pattern: '^[0-9]{4}$' },
			},
		},
		IssueNumber: optional('Some debit cards have one.'),
		OwnerID: optional('Yours.'),
		CVV: { ...optional('3 or 4 digits.'), pattern: '^([0-9]{3,4})?$' },
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
const CARD_CSV = 'CardNumber,ExpirationDate,CVV,CardType\n4111111111111111,04/2030,306,Visa\n';
const CARD_XML = `<BankCardDetails schemaVersion="1.0"><BankCard><Type>Visa</Type><Number>4111111111111111</Number><ExpirationDate><Month>04</Month><Year>2030</Year></ExpirationDate><CVV>306</CVV></BankCard></BankCardDetails>`;

const DESTINATION = {
	type: 'object',
	required: ['DestinationType'],
	properties: {
		DestinationType: {
			type: 'string',
			enum: CVV_DESTINATION_TYPES,
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

const CLEAR_FILE = 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2029\n';
const TOKEN_FILE = CLEAR_FILE.replace('4111111111111111', '9e107d9d372bb6826bd81d3542a419d6');

const file = (example: string) => ({
	required: true,
	content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' }, example } },
});

const CREDENTIALS = {
	type: 'object',
	required: ['Name'],
	properties: {
		Name: text('Of `GET /api/paymentGateway`.'),
		Credentials: {
			type: 'object',
			additionalProperties: { type: 'string' },
			description: 'As the gateway needs them.',
		},
	},
};
const ORDER = {
	type: 'object',
	required: ['OperationType'],
	properties: {
		OperationType: { type: 'string', enum: OPERATIONS },
		CardToken: optional('Token URI; for PreAuth and Charge this or a card.'),
		Card: { anyOf: [BANK_CARD, { type: 'null' }] },
		MyRef: optional('Yours; transactions are found by it.'),
		Amount: { type: ['number', 'string'], description: 'Major units; a Void may go without.' },
		Currency: text('Three letters of ISO 4217.'),
		GatewayReference: optional('Of the payment that a Capture, Refund or Void is about.'),
		PaymentGateway: CREDENTIALS,
		PayerDetails: {
			type: 'object',
			properties: Object.fromEntries(
				['Email', 'Phone', 'IpAddress', 'Street', 'City', 'PostalCode', 'State', 'Country'].map((name) => [
					name,
					{ type: ['string', 'null'] },
				]),
			),
		},
	},
};
const ORDER_JSON = {
	...{ OperationType: 'Charge', Card: CARD_JSON.BankCard, MyRef: 'order-1', Amount: 10.23, Currency: 'USD' },
	PaymentGateway: { Name: 'Sandbox' },
};
const ORDER_XML = `<PaymentGatewayRequest><OperationType>Charge</OperationType><Card>${/<BankCard>(.*)<\/BankCard>/.exec(CARD_XML)![1]}</Card><MyRef>order-1</MyRef><Amount>10.23</Amount><Currency>USD</Currency><PaymentGateway><Name>Sandbox</Name></PaymentGateway></PaymentGatewayRequest>`;

const WALLET_OPERATION = {
	type: 'object',
	required: ['operation'],
	properties: {
		operation: { type: 'string', enum: WALLET_OPERATIONS },
		amount: { type: ['number', 'string', 'null'], description: 'Major units; required unless nothing is paid.' },
		currencyCode: optional('Three letters of ISO 4217; required unless nothing is paid.'),
		gateway: optional('A gateway that needs no credentials.'),
		credentialsId: optional('Gateway credentials that are kept here.'),
		myRef: optional('Yours; transactions are found by it.'),
		ref: optional('Yours; the card is found by it.'),
		merchantId: optional('User ID of an account that may use the card too.'),
		saveCVV: { type: ['boolean', 'string', 'null'], description: 'For TOKENIZE: whether the CVV is kept.' },
		cardTypes: optional('Card types that are taken, comma separated; all of them unless given.'),
	},
};
const WALLET_JSON = {
	...{ operation: 'CHARGE_AND_TOKENIZE', amount: 10.23, currencyCode: 'USD', gateway: 'Sandbox' },
	...{ myRef: 'order-1', ref: 'customer-1', cardTypes: 'Visa,MasterCard' },
};
const WALLET_XML = `<eWalletOperation>${Object.entries(WALLET_JSON)
	.map(([name, value]) => `<${name}>${value}</${name}>`)
	.join('')}</eWalletOperation>`;
const WALLET_TOKEN = 'ws_4JQ1vJb6mJz0c4bHkzQ2h1n8yq0iQwY7Zk3rQm9s5Xc';

/** What goes to a third party, in a type of its own: the usual ones by name, of which clients know how they are written. */
const anything = (required: boolean) => ({
	required,
	content: {
		'application/json': { schema: {}, example: { cards: [{ number: '', month: '', year: '' }] } },
		'application/xml': { schema: { type: 'string' } },
		'application/x-www-form-urlencoded': { schema: { type: 'object', additionalProperties: { type: 'string' } } },
		'*/*': { schema: { type: 'string', format: 'binary' } },
	},
});

/** Those that have a name in the document. */
export const BODY_SCHEMAS: Readonly<Record<string, object>> = {
	CardData: CARD,
	BankCard: BANK_CARD,
	CvvRetentionPolicyOrder: POLICY,
	CvvRetentionDestinationOrder: DESTINATION,
	DataBlockOrder: DATA_BLOCK,
	PaymentGatewayRequest: ORDER,
	GatewayCredentials: CREDENTIALS,
	WalletOperation: WALLET_OPERATION,
};

/** By operation, as `POST /path/{parameter}`. */
export const REQUEST_BODIES: Readonly<Record<string, object>> = {
	'POST /api/payments/paycard': either(CARD, CARD_JSON, CARD_XML),
	'PUT /api/payments/paycard/{cardToken}/cvvRetentionPolicy': either(POLICY, POLICY_JSON, POLICY_XML),
	'PUT /api/payments/paycard/{cardToken}/cvvRetentionPolicy/{destinationType}': either(
		{
			type: 'object',
			properties: { DestinationData: { type: 'string' }, Quota: { type: 'integer', minimum: 1, maximum: 50 } },
		},
		{ DestinationData: 'partner.example', Quota: 2 },
		'<CvvRetentionPolicyDestination><DestinationData>partner.example</DestinationData><Quota>2</Quota></CvvRetentionPolicyDestination>',
	),
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
			'application/json': { schema: { type: 'array', items: CARD }, example: [CARD_JSON] },
			'application/x-ndjson': { schema: lines(CARD, 'One card a line.'), example: `${JSON.stringify(CARD_JSON)}\n` },
			'text/csv': { schema: text('One card a row, under a header row.'), example: CARD_CSV },
		},
	},
	'POST /api/paymentGateway': either(ORDER, ORDER_JSON, ORDER_XML),
	'PUT /api/paymentGateway/credentials/{credentialsId}': either(
		CREDENTIALS,
		{ Name: 'Sandbox', Credentials: {} },
		'<PaymentGateway><Name>Sandbox</Name></PaymentGateway>',
	),
	'POST /api/eWalletOperation': either(WALLET_OPERATION, WALLET_JSON, WALLET_XML),
	'POST /api/eWalletOperation/session/tokenize': either(CARD, CARD_JSON, CARD_XML),
	'POST /api/eWalletOperation/validateResults': either(
		{ type: 'object', required: ['token'], properties: { token: text('Of the session.') } },
		{ token: WALLET_TOKEN },
		`<eWalletToken><token>${WALLET_TOKEN}</token></eWalletToken>`,
	),
	'POST /api/payments/paycard/relay': anything(true),
	'POST /api/payments/paycard/capture': anything(false),
	'POST /api/booker/{profileName}': anything(false),
	...Object.fromEntries(
		['POST', 'PUT', 'PATCH'].flatMap((method) =>
			['', '/{rest}'].map((rest) => [`${method} /api/inbound/{userId}/{profileName}${rest}`, anything(false)]),
		),
	),
	'POST /api/files/tokenize': file(CLEAR_FILE),
	'POST /api/files/detokenize': file(TOKEN_FILE),
};

/** Text of which each line is a document by itself; `contentSchema` is that of a line. */
export function lines(contentSchema: object, description: string) {
	return { type: 'string', description, contentMediaType: 'application/x-ndjson', contentSchema } as const;
}

function either(schema: object, json: unknown, xml: string): object {
	return {
		required: true,
		content: {
			'application/json': { schema, example: json },
			'application/xml': { schema: { type: 'string' }, example: xml },
		},
	};
}
