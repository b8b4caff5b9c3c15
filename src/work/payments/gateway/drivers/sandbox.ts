// Simulates a gateway (shapes §11). The amount and the number decide its answer, so that every result can be tried. It
// sends nothing.

import type { CallContext, GatewayDriver, KnownPayment } from '../driver.ts';
import { OPERATIONS, type Order, type Outcome, outcomeOf, type Result } from '../operation.ts';

const REJECTED_NUMBER = '4000000000000002';

interface Script {
	readonly result: Result;
	readonly code: string;
	readonly text: string;
}

/** Gives the answers by the last two digits of the amount in minor units. */
const BY_AMOUNT: Readonly<Record<number, Script>> = {
	5: { result: 'Rejected', code: '05', text: 'Do not honour' },
	51: { result: 'TemporaryFailure', code: '51', text: 'Issuer not available' },
	91: { result: 'FatalFailure', code: '91', text: 'Merchant not set up' },
};
const SILENT = 77;

const REJECTED_CARD: Script = { result: 'Rejected', code: '05', text: 'Do not honour' };
const UNKNOWN_PAYMENT: Script = { result: 'Rejected', code: '25', text: 'No such payment' };

/** The driver named `Sandbox`, which only simulates payments. */
export const sandbox: GatewayDriver = {
	name: 'Sandbox',
	operations: OPERATIONS,
	credentialsSchema: [],
	absentAfterMs: 0,
	async send(order, context) {
		const isSilent = order.amount !== undefined && order.amount.minor % 100 === SILENT;
		return isSilent ? silence(context) : answer(order, context);
	},
	/** Returns the outcome even of an operation without an answer, which simulates one that was lost. */
	query: async (order, context) => answer(order, context),
	findRefusal(order, known) {
		const problem = findProblem(order, known);
		return problem && refusal(problem);
	},
};

function answer(order: Order, { attemptId, card, known }: CallContext): Outcome {
	const script = scriptOf(order, card?.number.reveal(), known);
	if (!script) {
		const authorizationCode = attemptId.slice(-6).toUpperCase();
		const gatewayReference = `SBX-${attemptId.toUpperCase()}`;
		return outcomeOf('Success', 'Approved', {
			gatewayReference,
			authorizationCode,
			gatewayResultCode: '00',
			gatewayResultDescription: 'Approved',
		});
	}
	return refusal(script);
}

function refusal({ result, code, text }: Script): Outcome {
	return outcomeOf(result, text, { gatewayResultCode: code, gatewayResultDescription: text });
}

function scriptOf(order: Order, cardNumber: string | undefined, known: KnownPayment | undefined): Script | undefined {
	if (order.gatewayReference !== undefined) {
		const problem = known ? findProblem(order, known) : UNKNOWN_PAYMENT;
		if (problem) return problem;
	}
	if (cardNumber === REJECTED_NUMBER) return REJECTED_CARD;
	return order.amount && BY_AMOUNT[order.amount.minor % 100];
}

function findProblem({ operation, amount }: Order, known: KnownPayment): Script | undefined {
	const refuse = (text: string): Script => ({ result: 'Rejected', code: '57', text });
	const minor = amount?.minor ?? 0;
	if (known.isVoided) return refuse('The payment was voided');
	if (operation === 'Void') {
		if (known.operation === 'PreAuth' && known.capturedMinor > 0) return refuse('The payment was captured');
		return known.refundedMinor > 0 ? refuse('The payment was refunded') : undefined;
	}
	if (operation === 'Capture') {
		if (known.operation === 'Charge') return refuse('The payment was charged at once');
		return known.capturedMinor + minor > known.amountMinor ? refuse('More than was authorised') : undefined;
	}
	if (known.refundedMinor + minor > known.capturedMinor) return refuse('More than was captured');
	return undefined;
}

/** Waits until the deadline of the call, to simulate a gateway that does not answer. */
async function silence({ signal }: CallContext): Promise<'unknown'> {
	if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
	return 'unknown';
}
