import type { FastifyRequest } from 'fastify';
import { brandOf, CARD_TYPES } from '../../../../base/card/brand.ts';
import type { Clock } from '../../../../base/clock.ts';
import { badInput } from '../../../../base/errors.ts';
import type { Allowance, Charge } from '../../../../people/identity/accounts/allowance.ts';
import type { Payer } from '../../../../people/identity/accounts/allowance-store.ts';
import type { Identity } from '../../../../people/identity/identity.ts';
import type { Gateway } from '../../../../work/payments/gateway/gateway.ts';
import { STEPS, unitsOf } from '../../../../work/payments/wallet/operation.ts';
import type { WalletSession } from '../../../../work/payments/wallet/session.ts';
import type { Wallet, WalletResult } from '../../../../work/payments/wallet/wallet.ts';
import { type Call, defineCall } from '../../calls/call.ts';
import { hasIdempotencyKey } from '../../idempotency/idempotency.ts';
import { FieldErrors } from '../../input/field-errors.ts';
import { cvvToKeep } from '../../input/query-values.ts';
import type { RequestBody } from '../../input/request-body.ts';
import type { HttpSettings } from '../../settings.ts';
import { type AcceptedCard, getListedCard } from '../../tokens/card-body.ts';
import { CARD_BODY } from '../../tokens/card-schema.ts';
import {
	RESULT_ANSWER,
	SESSION_ANSWER,
	TOKEN_ANSWER,
	walletResultDocument,
	walletSessionDocument,
} from '../../wallet/answer.ts';
import { readWalletPlan, requirePermissions } from '../../wallet/order.ts';
import { SESSION_BODY, WALLET_BODY } from '../../wallet/order-schema.ts';

const PATH = '/api/eWalletOperation';
/** Answers about a session must not be cached, because they depend on the time and on the caller. */
const NO_STORE = ['cache-control', 'no-store'] as const;

/** Defines the calls of the payments library (spec §4.1, §5.4.3, shapes §8). */
export function walletCalls(parts: {
	wallet: Pick<Wallet, 'create' | 'read' | 'carryOut' | 'findResult'>;
	identity: Identity;
	gateway: Gateway;
	clock: Clock;
	settings: Pick<HttpSettings, 'environment' | 'baseUrl'>;
}): Call[] {
	const { wallet, identity, gateway, clock, settings } = parts;
	/**
	 * Takes from the allowance all units that a session may cost, before the work of the session begins; units that
	 * turn out not to be needed are given back. A session that is completed already costs nothing.
	 */
	const charge = async (request: FastifyRequest): Promise<void> => {
		const { isCompleted, operation } = getSession(request);
		const bill = new WalletBill();
		bills.set(request, bill);
		request.charge = bill;
		if (!isCompleted) await bill.take(identity.allowance, request.principal, unitsOf(operation));
	};
	const bills = new WeakMap<FastifyRequest, WalletBill>();

	const carryOut = async (request: FastifyRequest, session: WalletSession): Promise<WalletResult> => {
		const { principal } = request;
		const read = getListedCard(request.body as RequestBody | undefined, clock.now());
		checkType(read, session);
		const { card, cvv, masked } = read;
		const keptCvv = STEPS[session.operation].payment ? undefined : cvvToKeep(cvv, principal, session.saveCvv);
		const bill = bills.get(request);
		const onUsed = () => bill?.use();
		const result = await wallet.carryOut(session, principal, { card, cvv, keptCvv, masked, onUsed });
		await bill?.giveBack();
		return result;
	};

	return [
		defineCall('POST', PATH, {
			summary: 'Create a payments library session',
			description:
				'For one operation of a page, valid for five minutes. Needs the permission `Tokenize` where a card is stored and `Gateway` where something is paid.',
			tag: 'wallet',
			needs: { credential: 'api-key' },
			// Idempotency keys are refused: a repeated call would be answered with the first session token, which may
			// have ended by then.
			isIdempotent: 'refused',
			body: WALLET_BODY,
			bodyErrors: 'listed',
			returns: TOKEN_ANSWER,
			failures: ['permission-denied', 'association-target-invalid', 'cvv-retention-not-set-up'],
			handler: async (request, reply, readBody) => {
				const { principal } = request;
				const resolveMerchant = (id: string) => identity.resolveAssociationTarget(principal, id);
				const plan = await readWalletPlan(readBody(), { gateway, principal, resolveMerchant });
				const { secret } = await wallet.create(principal, plan);
				reply.header(...NO_STORE);
				return { token: secret.reveal() };
			},
		}),
		defineCall('GET', `${PATH}/session`, {
			summary: 'Read a payments library session',
			description: 'What a form needs to know.',
			tag: 'wallet',
			needs: { credential: 'wallet-session' },
			returns: SESSION_ANSWER,
			handler: async (request, reply) => {
				const read = await wallet.read(getSession(request));
				reply.header(...NO_STORE);
				return walletSessionDocument(read, settings.environment);
			},
		}),
		defineCall('POST', `${PATH}/session/tokenize`, {
			summary: 'Carry out a payments library session',
			description:
				'Stores the card, charges it, or both, as the session says. Once: a completed session answers its result again; after a payment that was refused (200, `status` is `failed`) another may be tried. Costs one unit of the allowance for a payment that is tried and one for a card that is stored.',
			tag: 'wallet',
			needs: { credential: 'wallet-session' },
			// The permission is checked first, then the allowance, then the body, in the same order as for every call
			// (shapes §11).
			before: async (request) => {
				requirePermissions(request.principal, STEPS[getSession(request).operation].permissions);
				if (!hasIdempotencyKey(request)) await charge(request);
			},
			body: CARD_BODY,
			bodyErrors: 'listed',
			returns: RESULT_ANSWER,
			failures: ['permission-denied', 'allowance-exceeded', 'cvv-retention-not-set-up'],
			handler: async (request, reply) => {
				const session = getSession(request);
				const { idempotency } = request;
				// While the outcome of the payment is uncertain, the session decides how a repeated call is answered.
				// So no answer, not even a refusal, is kept for the idempotency key until the outcome is known.
				if (idempotency) {
					idempotency.isProvisional = true;
					await charge(request);
				}
				const result = session.isCompleted ? await wallet.read(session) : await carryOut(request, session);
				if (idempotency) idempotency.isProvisional = result.status !== 'completed' && result.status !== 'failed';
				reply.header(...NO_STORE);
				return walletResultDocument(result, settings.baseUrl);
			},
		}),
		defineCall('POST', `${PATH}/validateResults`, {
			summary: 'Read the results of a payments library session',
			description: 'Kept for 24 hours after the session ended. An unknown token is listed in `errors`.',
			tag: 'wallet',
			needs: {},
			isIdempotent: false,
			body: SESSION_BODY,
			bodyErrors: 'listed',
			returns: RESULT_ANSWER,
			failures: ['permission-denied'],
			handler: async (request, reply, readBody) => {
				const result = await wallet.findResult(request.principal, readBody().getText('token'));
				if (!result) throw new FieldErrors({ token: ['no such session'] });
				// The result has the masked card and the payment, so it needs what creating the session needs.
				requirePermissions(request.principal, STEPS[result.session.operation].permissions);
				reply.header(...NO_STORE);
				return walletResultDocument(result, settings.baseUrl);
			},
		}),
	];
}

function getSession({ walletSession }: FastifyRequest): WalletSession {
	if (!walletSession) throw new Error('internal error: a session call without its session');
	return walletSession;
}

/**
 * Checks that the session accepts cards of this type. The type is found from the number, because the page could state a
 * wrong type.
 * @throws ServiceError
 */
function checkType({ card }: AcceptedCard, { cardTypes }: WalletSession): void {
	if (cardTypes === undefined) return;
	const digits = Buffer.from(card.number.reveal());
	const type = CARD_TYPES[brandOf(digits, 0, digits.length)];
	digits.fill(0);
	if (cardTypes.includes(type)) return;
	throw badInput('BankCard.Number', `expected a card of ${cardTypes.join(', ')}`);
}

/** Counts the units taken for a call before its cost was known. Those that it did not use can be given back. */
export class WalletBill implements Charge {
	readonly #charges: Charge[] = [];
	#used = 0;

	/** @throws ServiceError `allowance-exceeded` */
	async take(allowance: Pick<Allowance, 'charge'>, payer: Payer, units: number): Promise<void> {
		for (let unit = 0; unit < units; unit++) this.#charges.push(await allowance.charge(payer));
	}

	/** Notes that a unit was used, which is charged even if the call fails later. */
	use(): void {
		this.#used++;
	}

	async giveBack(): Promise<void> {
		await Promise.all(this.#charges.slice(this.#used).map((charge) => charge.giveBack()));
	}
}
