// An example of every successful answer. A test makes the calls and compares: whatever is made up by the service (tokens,
// ids, times) differs, all else is as it stands here.

import { GATEWAY_SHAPE } from '../gateway/answer.ts';
import type { ItemNames } from '../negotiation/xml-writer.ts';
import { POLICY_SHAPE } from '../tokens/cvv-policy.ts';
import { METADATA_SHAPE } from '../tokens/metadata-answer.ts';
import { WALLET_RESULT_SHAPE, WALLET_SESSION_SHAPE, WALLET_TOKEN_SHAPE } from '../wallet/answer.ts';

export interface AnswerExample {
	readonly value: unknown;
	/** What the answer is called in XML; absent when it never comes so. */
	readonly root?: string;
	readonly items?: ItemNames;
	/** Where its XML is not what its JSON looks like. */
	readonly xmlValue?: unknown;
	/** By content type. */
	readonly inOtherTypes?: Readonly<Record<string, unknown>>;
}

const TOKEN = '9e107d9d372bb6826bd81d3542a419d6';
const CARDS = 'https://vault.example/api/payments/paycard';
const BLOCKS = 'https://vault.example/api/datablocks';
const CREATED = '2026-03-02T09:30:00.000Z';
const CVV_ENDS = '2026-03-09T09:30:00.000Z';
const JOB_ID = '01kjpz8q4y6t3wxa7n5c2dme9r';

const SERVICE = {
	...{ name: 'Tokendrop', environment: 'sandbox' },
	links: {
		documentation: 'https://vault.example/docs',
		openapi: 'https://vault.example/openapi.json',
		certificate: 'https://vault.example/api',
	},
};

const LOGGED = {
	...{ id: '3f1c9a52-6d0e-4f0b-9a51-0f6f6f7c2b1d', time: CREATED, method: 'GET' },
	...{ route: '/api/payments/paycard/meta', status: 200, message: null, moreInfo: null, credential: 'api-key 1' },
};

const MASKED = {
	Type: 'Visa',
	Virtual: null,
	Number: '411111******1111',
	NameOnCard: null,
	ExpirationDate: { Month: '04', Year: '2030' },
	IssueNumber: null,
	OwnerID: null,
};
const STORED: AnswerExample = { value: { BankCard: MASKED }, root: 'BankCard', xmlValue: MASKED };

const LISTED = {
	CreateDate: CREATED,
	CardType: 'Visa',
	LastDigits: '1111',
	LeadingDigits: '411111',
	ExpirationYear: '2030',
	ExpirationMonth: '04',
	OwnerID: null,
	UserID: 'agency',
	IssueNumber: null,
	OwnerName: null,
	URI: `${CARDS}/${TOKEN}`,
	EndRetentionDate: CVV_ENDS,
	CvvExists: true,
	VirtualInfo: null,
	AssociatedMerchants: ['partner'],
	AssociatedProperties: [],
};
const LISTED_CSV = `${Object.keys(LISTED).join(',')}\r\n${CREATED},Visa,1111,411111,2030,04,,agency,,,${CARDS}/${TOKEN},${CVV_ENDS},true,,partner,\r\n`;

const DESTINATION = { DestinationType: 'HostName', DestinationData: 'partner.example', Quota: 2, Usage: 0 };
const POLICY: AnswerExample = {
	value: { CvvEndRetentionDate: CVV_ENDS, DeleteCardUponCvvCleanup: false, CvvRetentionPolicyList: [DESTINATION] },
	...POLICY_SHAPE,
};

const BLOCK = { Token: TOKEN, URI: `${BLOCKS}/${TOKEN}`, CreateDate: CREATED, Reference: 'order-1', UserID: 'agency' };

const REPORTED = {
	...{ id: JOB_ID, state: 'queued', filter: 'SIMPLECSV', operation: 'tokenize', name: 'may.csv' },
	...{ bytesRead: 0, bytesTotal: 67, cards: 0, refused: 0, warned: 0, otherNumbers: 0 },
	...{ createdAt: CREATED, finishedAt: null, error: null },
};
const OWNED = { account: 'agency', otherCodes: 0 };
const QUEUED = { ...REPORTED, ...OWNED, attempts: 0, nextAttemptAt: CREATED, lastFailure: null };
const REPORTED_DONE = { ...REPORTED, state: 'done', bytesRead: 67, cards: 1, finishedAt: CREATED };
const DONE = { ...REPORTED_DONE, ...OWNED, attempts: 1, nextAttemptAt: null, lastFailure: null };
const RETRIED = {
	bytesTotal: 49,
	lastFailure: { reason: 'file-malformed', message: 'a quote is never closed', at: CREATED },
};
const NOTICES = ['The file has no column for the card type'];
const REPORT = {
	notices: NOTICES,
	...REPORTED_DONE,
	counts: {
		...{ bytesRead: 67, bytesWritten: 83, records: 2, cards: 1, refused: 0, warned: 0, masked: 0 },
		...{ preexistingTokens: 0, otherNumbers: 0, otherCodes: 0, unresolved: 0, notices: NOTICES },
	},
	...{ warnings: [], refusals: [], others: [], entriesOmitted: 0, entries: [] },
};
const REPORT_CSV =
	'record,line,offset,outcome,reason,warnings,cardType,lastFour,number,field,cards\n' +
	`,,,notice,${NOTICES[0]},,,,,,\n`;

const FILE = `CardNumber,ExpirationMonth,ExpirationYear\n${TOKEN},12,2029\n`;

const CHARGED = {
	...{ OperationType: 'Charge', OperationResultCode: 'Success', OperationResultDescription: 'Approved' },
	...{ GatewayName: 'Sandbox', GatewayReference: 'SBX-01KJPZ8Q4Y6T3WXA7N5C2DME9R' },
	...{ GatewayResultCode: '00', GatewayResultDescription: 'Approved', AuthorizationCode: '2DME9R' },
	...{ Amount: 10.23, Currency: 'USD' },
};
const TRANSACTION = {
	...{ TransactionID: JOB_ID, State: 'approved', MyRef: 'order-1', OriginalReference: null },
	...{ CreateDate: CREATED, SettleDate: CREATED, ...CHARGED },
};
const GATEWAY = { Name: 'Sandbox', Operations: ['PreAuth', 'Capture', 'Charge', 'Refund', 'Void'], Credentials: [] };
const KEPT: AnswerExample = {
	value: { CredentialsId: 'shop-1', Name: 'Sandbox', Credentials: {}, CreateDate: CREATED, UpdateDate: CREATED },
	root: 'GatewayCredentials',
};

const WALLET_RESULT: AnswerExample = {
	value: {
		...{ operation: 'CHARGE_AND_TOKENIZE', status: 'completed', myRef: 'order-1', upgChargeResults: CHARGED },
		tokenAndMaskedCardModel: { cardToken: `${CARDS}/${TOKEN}`, maskedCard: MASKED },
	},
	...WALLET_RESULT_SHAPE,
};

const CARD = '/api/payments/paycard/{cardToken}';
const CVV_POLICY = `${CARD}/cvvRetentionPolicy`;

/** By operation and status, as `GET /path/{parameter} 200`. */
export const ANSWER_EXAMPLES: Readonly<Record<string, AnswerExample>> = {
	'GET / 200': { value: SERVICE, root: 'Service' },
	'GET /api/requests 200': { value: [LOGGED], root: 'Request' },
	'POST /api/payments/paycard/tempsession 200': { value: 'ts_4JQ1vJb6mJz0c4bHkzQ2h1n8yq0iQwY7Zk3rQm9s5Xc' },
	'POST /api/payments/paycard 201': STORED,
	'POST /api/payments/paycard/duplicate 201': STORED,
	'POST /api/payments/paycard/networkToken 201': {
		value: { BankCard: { ...MASKED, Number: '411111******0000' } },
		root: 'BankCard',
		xmlValue: { ...MASKED, Number: '411111******0000' },
	},
	'POST /api/payments/paycard/batch 200': {
		value: `${JSON.stringify({ index: 0, token: TOKEN, uri: `${CARDS}/${TOKEN}`, error: null, warning: null })}\n`,
		inOtherTypes: { 'text/csv': `index,token,uri,error,warning\r\n0,${TOKEN},${CARDS}/${TOKEN},,\r\n` },
	},
	'GET /api/payments/paycard/meta 200': {
		value: [LISTED],
		...METADATA_SHAPE,
		inOtherTypes: { 'text/csv': LISTED_CSV },
	},
	[`GET ${CARD}/meta 200`]: { value: { CreatorReference: 'order-1', ...LISTED }, ...METADATA_SHAPE },
	[`GET ${CARD}/merchants 200`]: { value: ['partner'], root: 'MerchantId' },
	[`PUT ${CVV_POLICY} 200`]: POLICY,
	[`GET ${CVV_POLICY} 200`]: POLICY,
	[`GET ${CVV_POLICY}/{destinationType} 200`]: POLICY,
	[`GET ${CVV_POLICY}/{destinationType}/{destinationData} 200`]: POLICY,
	[`PUT ${CVV_POLICY}/{destinationType} 200`]: POLICY,
	[`PUT ${CVV_POLICY}/{destinationType}/{destinationData} 200`]: POLICY,
	'POST /api/datablocks 201': { value: BLOCK, root: 'DataBlock' },
	'GET /api/datablocks 200': { value: [BLOCK], root: 'DataBlock' },
	'GET /api/datablocks/{cardToken} 200': { value: { ...BLOCK, Payload: 'a note' }, root: 'DataBlock' },
	'GET /api/paymentGateway 200': { value: [GATEWAY], ...GATEWAY_SHAPE },
	'POST /api/paymentGateway 200': { value: CHARGED, root: 'PaymentGatewayResponse' },
	'GET /api/paymentGateway/transactions 200': { value: [TRANSACTION], root: 'Transaction' },
	'GET /api/paymentGateway/transactions/{transactionId} 200': { value: TRANSACTION, root: 'Transaction' },
	'PUT /api/paymentGateway/credentials/{credentialsId} 200': KEPT,
	'GET /api/paymentGateway/credentials/{credentialsId} 200': KEPT,
	'POST /api/eWalletOperation 200': {
		value: { token: 'ws_4JQ1vJb6mJz0c4bHkzQ2h1n8yq0iQwY7Zk3rQm9s5Xc' },
		...WALLET_TOKEN_SHAPE,
	},
	'GET /api/eWalletOperation/session 200': {
		value: {
			...{ operation: 'CHARGE_AND_TOKENIZE', status: 'open', amount: 10.23, currencyCode: 'USD' },
			...{ environment: 'sandbox', expiresAt: CREATED, cardTypes: ['MasterCard', 'Visa'] },
		},
		...WALLET_SESSION_SHAPE,
	},
	'POST /api/eWalletOperation/session/tokenize 200': WALLET_RESULT,
	'POST /api/eWalletOperation/validateResults 200': WALLET_RESULT,
	'POST /api/files/tokenize 200': { value: FILE },
	'POST /api/files/tokenize 202': { value: QUEUED, root: 'Job' },
	'POST /api/files/detokenize 200': { value: FILE.replace(TOKEN, '4111111111111111') },
	'POST /api/files/detokenize 202': { value: { ...QUEUED, operation: 'detokenize', bytesTotal: 83 }, root: 'Job' },
	'GET /api/jobs 200': { value: [DONE], root: 'Job' },
	'GET /api/jobs/{id} 200': { value: DONE, root: 'Job' },
	'GET /api/jobs/{id}/report 200': { value: REPORT, inOtherTypes: { 'text/csv': REPORT_CSV } },
	'POST /api/jobs/{id}/retry 202': { value: { ...QUEUED, ...RETRIED }, root: 'Job' },
};
