// Implements the driver for gateways that are declared in YAML: the file says what is sent and how the answer is read.

import { type Reason, ServiceError } from '../../../../base/errors.ts';
import type { OutboundClient } from '../../../../base/outbound/http-client.ts';
import { DeclarationError, type PlaceOf } from '../../../../base/settings/declared-file.ts';
import type { CallContext, GatewayDriver } from '../driver.ts';
import { type Operation, type Order, type Outcome, outcomeOf, type Result } from '../operation.ts';
import { readAnswer } from './answer-reader.ts';
import type { Declaration, DeclaredAnswer, DeclaredCall } from './declaration.ts';
import { type PreparedCall, prepareCall } from './declared-call.ts';
import { valuesOf } from './declared-values.ts';
import { TemplateError } from './template.ts';

type Outbound = Pick<OutboundClient, 'call'>;

/** Answers to payments have a few kilobytes. One of this size is read in some 15 ms, whatever it holds. */
const MAX_ANSWER_BYTES = 128 * 1024;

const DESCRIPTIONS: Readonly<Record<Result, string>> = {
	Success: 'Approved',
	Accepted: 'Accepted by the gateway',
	Rejected: 'Declined',
	TemporaryFailure: 'The gateway could not carry it out',
	FatalFailure: 'The gateway does not accept the request',
};

/** If our HTTP client fails with one of these reasons, it had no free slot for the call, so nothing was sent. */
const BUSY: ReadonlySet<string> = new Set<Reason>(['too-many-calls', 'too-many-calls-of-account']);

/** If a call failed for one of these causes, not even its first byte was sent. */
const NOT_SENT = new Set([
	...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'CERT_HAS_EXPIRED'],
	...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
	...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'ERR_TLS_CERT_ALTNAME_INVALID'],
]);

interface Step {
	readonly call: PreparedCall;
	readonly answer: DeclaredAnswer;
}

/**
 * @throws DeclarationError if a template is invalid, or the declaration does not say how to read the answer to an
 * operation
 */
export function declaredDriver(
	declaration: Declaration,
	{ placeOf, outbound }: { readonly placeOf: PlaceOf; readonly outbound: Outbound },
): GatewayDriver {
	const { name, baseUrl, headers, credentials, query } = declaration;
	const prepare = (call: DeclaredCall, operation: Operation | 'query', path: string[]): Step => {
		const answer = call.answer ?? declaration.answer;
		if (!answer) throw new DeclarationError(`${placeOf(path)}: no answer is declared, neither here nor for all calls`);
		return { call: prepareCall(call, operation, { baseUrl, headers, credentials, placeOf, path }), answer };
	};
	const steps = new Map<Operation, Step>();
	for (const [operation, call] of Object.entries(declaration.operations) as [Operation, DeclaredCall][]) {
		steps.set(operation, prepare(call, operation, ['operations', operation]));
	}
	const asking = query && prepare(query, 'query', ['query']);
	const driver: GatewayDriver = {
		name,
		operations: [...steps.keys()],
		credentialsSchema: declaration.credentials.map(({ name, description, secret, required }) => ({
			name,
			description,
			isSecret: secret,
			isRequired: required,
		})),
		async send(order, context) {
			const { outcome } = await run(outbound, steps.get(order.operation)!, order, context);
			return outcome;
		},
	};
	if (!query || !asking) return driver;
	return {
		...driver,
		absentAfterMs: query.absentAfterSeconds * 1000,
		async query(order, context) {
			const { outcome, status } = await run(outbound, asking, order, context);
			if (status !== undefined && query.absentStatuses.includes(status)) return 'absent';
			// An error status of a query tells nothing about the order, so the result is unknown.
			return status !== undefined && status < 300 ? outcome : 'unknown';
		},
	};
}

async function run(
	outbound: Outbound,
	{ call, answer }: Step,
	order: Order,
	context: CallContext,
): Promise<{ readonly outcome: Outcome | 'unknown'; readonly status?: number }> {
	try {
		const { url, headers, body } = call.render(valuesOf(order, context));
		const answered = await outbound.call({
			url,
			method: call.method,
			headers,
			body,
			deadlineAt: context.deadlineAt,
			maxAnswerBytes: MAX_ANSWER_BYTES,
			account: context.accountId,
		});
		return { outcome: outcomeOfAnswer(answer, answered), status: answered.status };
	} catch (error) {
		return { outcome: outcomeOfFailure(error) };
	}
}

function outcomeOfAnswer(
	{ format, results, statuses, ...places }: DeclaredAnswer,
	{ status, body }: { readonly status: number; readonly body: Buffer },
): Outcome | 'unknown' {
	const { result, reference, code, description, authorizationCode } = places;
	const wanted = [result, reference, code, description, authorizationCode].filter((place) => place !== undefined);
	const values = readAnswer(body, format, wanted) ?? new Map<string, string>();
	const at = (place: string | undefined) => (place === undefined ? null : (values.get(place) ?? null));
	const said = at(result);
	const byBody = said !== null && Object.hasOwn(results, said) ? results[said] : undefined;
	const found = byBody ?? statuses[String(status)] ?? statuses[`${Math.floor(status / 100)}xx`];
	if (found === undefined) return 'unknown';
	return outcomeOf(found, DESCRIPTIONS[found], {
		gatewayReference: at(reference),
		gatewayResultCode: at(code) ?? said ?? String(status),
		gatewayResultDescription: at(description),
		authorizationCode: at(authorizationCode),
	});
}

function outcomeOfFailure(error: unknown): Outcome | 'unknown' {
	if (error instanceof TemplateError) return outcomeOf('FatalFailure', `Nothing was sent: ${error.message}`);
	if (!(error instanceof ServiceError)) return 'unknown';
	if (error.reason === 'bad-input-data')
		return outcomeOf('FatalFailure', 'Nothing was sent: the gateway may not be called');
	const cause = (error.cause as { code?: string } | undefined)?.code ?? '';
	const isNotSent = BUSY.has(error.reason) || NOT_SENT.has(cause);
	return isNotSent ? outcomeOf('TemporaryFailure', 'The gateway could not be reached; nothing was sent.') : 'unknown';
}
