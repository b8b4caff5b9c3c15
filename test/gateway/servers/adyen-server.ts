// Imitates the part of Adyen Checkout that the driver uses, as Adyen's reference describes it: JSON, X-API-Key,
// idempotency-key, and modifications that are answered only as received.

import type { ExecutionContext } from 'ava';
import {
	type Asked,
	type Mode,
	openProviderServer,
	type ProviderServer,
	replays,
	type Said,
} from './provider-server.ts';

export const ADYEN_KEY = 'AQEyhmfxK4bJbhdAw0m-ContractTests';
export const ADYEN_MERCHANT = 'ContractECOM';

export interface AdyenServer extends ProviderServer {
	readonly payments: readonly { readonly pspReference: string; readonly amount: unknown }[];
	readonly modifications: readonly { readonly kind: string; readonly amount: unknown }[];
}

export async function openAdyenServer(t: ExecutionContext<unknown>): Promise<AdyenServer> {
	const payments: { pspReference: string; amount: unknown }[] = [];
	const modifications: { kind: string; amount: unknown }[] = [];
	const replay = replays();
	const refuse = (status: number, errorCode: string, message: string): Said => ({
		status,
		body: { status, errorCode, message, errorType: status === 401 ? 'security' : 'validation' },
	});

	const pay = (body: Record<string, never>, mode: Mode): Said => {
		const { amount, paymentMethod, reference, returnUrl } = body as Record<string, never> & {
			paymentMethod?: { type: string; number?: string; cvc?: string };
		};
		if (!amount || !reference || !returnUrl) return refuse(422, '130', "Required field 'reference' is not provided.");
		if (paymentMethod?.type !== 'scheme' || !paymentMethod.number) return refuse(422, '101', 'Invalid card number');
		const pspReference = `88361${String(payments.length).padStart(11, '0')}`;
		payments.push({ pspReference, amount });
		if (mode === 'decline') {
			const refusalReason = `Refused ${paymentMethod.number} cvc ${paymentMethod.cvc}`;
			return { status: 200, body: { pspReference, resultCode: 'Refused', refusalReason, refusalReasonCode: '2' } };
		}
		const additionalData = { authCode: '065696' };
		return { status: 200, body: { pspReference, resultCode: 'Authorised', amount, additionalData } };
	};

	const modify = (psp: string, kind: string, body: { amount?: unknown }): Said => {
		if (!payments.some(({ pspReference }) => pspReference === psp)) {
			return refuse(422, '167', 'Original pspReference required for this operation');
		}
		if (kind !== 'cancels' && !body.amount) return refuse(422, '100', 'No amount specified');
		modifications.push({ kind, amount: body.amount });
		const pspReference = `88362${String(modifications.length).padStart(11, '0')}`;
		return { status: 201, body: { ...body, paymentPspReference: psp, pspReference, status: 'received' } };
	};

	const carryOut = ({ method, path, headers, body }: Asked, mode: Mode): Said => {
		if (headers['x-api-key'] !== ADYEN_KEY) {
			return refuse(401, '000', `HTTP Status Response - Unauthorized ${headers['x-api-key']}`);
		}
		if (mode === 'busy') return refuse(429, '', 'Too many requests');
		const isJson = headers['content-type'] === 'application/json';
		if (method !== 'POST' || !isJson || !headers['idempotency-key']) return refuse(400, '702', 'Bad request');
		const document = JSON.parse(body);
		if (document.merchantAccount !== ADYEN_MERCHANT) return refuse(403, '901', 'Invalid Merchant Account');
		return replay(headers['idempotency-key'] as string, () => {
			if (path === '/v72/payments') return pay(document, mode);
			const [, psp, kind] = /^\/v72\/payments\/([^/]+)\/(captures|refunds|cancels)$/.exec(path) ?? [];
			return psp ? modify(psp, kind, document) : { status: 404, body: {} };
		});
	};

	const fail = { status: 500, errorCode: '905', message: 'Payment details are not supported', errorType: 'internal' };
	return Object.assign(await openProviderServer(t, { carryOut, fail }), { payments, modifications });
}
