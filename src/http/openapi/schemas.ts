// Schemas with a name. Routes write schemas where they use them; in the document each named one is listed once among
// the components and referred to from everywhere else, so that generated clients have types for it.

import { GATEWAY, OPERATION_ANSWER, CREDENTIALS as STORED_CREDENTIALS, TRANSACTION } from '../gateway/answer.ts';
import { BATCH_LINE } from '../routes/batch.ts';
import { PRESET } from '../routes/capture.ts';
import { FULL_DATA_BLOCK, LISTED_DATA_BLOCK } from '../routes/data-blocks.ts';
import { RELAYED } from '../routes/file-relay.ts';
import { JOB, JOB_ERROR, REPORT, REPORT_ENTRY } from '../routes/jobs.ts';
import { LOGGED_CALL } from '../routes/requests.ts';
import { SERVICE } from '../routes/service.ts';
import {
	CVV_DESTINATION,
	CVV_POLICY,
	LISTED_METADATA,
	MASKED_BANK_CARD,
	MASKED_CARD,
	METADATA,
} from '../tokens/schemas.ts';
import { WALLET_RESULT, WALLET_SESSION, WALLET_TOKEN } from '../wallet/answer.ts';
import { BODY_SCHEMAS } from './bodies.ts';
import { FIELD_ERRORS_SCHEMA, STANDARD_ERROR_SCHEMA } from './errors.ts';

/** Schemas are recognised by their content, so no two named ones may be equal. */
const NAMED: Readonly<Record<string, object>> = {
	StandardError: STANDARD_ERROR_SCHEMA,
	FieldErrors: FIELD_ERRORS_SCHEMA,
	...BODY_SCHEMAS,
	MaskedCard: MASKED_CARD,
	MaskedBankCard: MASKED_BANK_CARD,
	CardMetadata: METADATA,
	ListedCardMetadata: LISTED_METADATA,
	CardCvvRetentionPolicy: CVV_POLICY,
	CvvRetentionPolicyDestination: CVV_DESTINATION,
	BatchLine: BATCH_LINE,
	DataBlock: FULL_DATA_BLOCK,
	ListedDataBlock: LISTED_DATA_BLOCK,
	Preset: PRESET,
	PaymentGatewayResponse: OPERATION_ANSWER,
	PaymentGatewayTransaction: TRANSACTION,
	PaymentGatewayDriver: GATEWAY,
	StoredGatewayCredentials: STORED_CREDENTIALS,
	WalletToken: WALLET_TOKEN,
	WalletSession: WALLET_SESSION,
	WalletResult: WALLET_RESULT,
	Job: JOB,
	JobError: JOB_ERROR,
	JobReport: REPORT,
	JobReportEntry: REPORT_ENTRY,
	RelayedFile: RELAYED,
	Service: SERVICE,
	LoggedCall: LOGGED_CALL,
};

const ROOT = '#/components/schemas/';

/** Returns the components, each with references to the others it contains. */
export function namedSchemas(): Record<string, object> {
	return Object.fromEntries(
		Object.entries(NAMED).map(([name, schema]) => {
			const plain = JSON.parse(JSON.stringify(schema)) as object;
			const inside = Object.entries(plain).map(([keyword, value]) => [keyword, withReferences(value)]);
			return [name, Object.fromEntries(inside)];
		}),
	);
}

/** Returns the same value with a reference in place of every named schema. */
export function withReferences(value: unknown): unknown {
	if (typeof value !== 'object' || value === null) return value;
	const name = nameOf(value);
	if (name !== undefined) return { $ref: `${ROOT}${name}` };
	if (Array.isArray(value)) return value.map(withReferences);
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withReferences(inner)]));
}

const NAMES = new Map(Object.entries(NAMED).map(([name, schema]) => [looks(schema), name]));

function nameOf(value: object): string | undefined {
	// Only schemas of objects have names, so others need not be compared.
	return 'properties' in value ? NAMES.get(looks(value)) : undefined;
}

/** Returns a schema as text that does not depend on the order of its keywords. */
function looks(schema: unknown): string {
	return JSON.stringify(schema, (_key, value: unknown) => {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
		return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
	});
}
