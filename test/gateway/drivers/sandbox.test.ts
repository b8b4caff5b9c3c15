import test from 'ava';
import { sandbox } from '../../../src/work/payments/gateway/drivers/sandbox.ts';
import type { Operation, Result } from '../../../src/work/payments/gateway/operation.ts';
import { card, context, KNOWN, money, order } from '../servers/gateways.ts';

const NONE = { credentials: {} };

const answers = test.macro(async (t, amount: string, currency: string, result: Result) => {
	const asked = order('Charge', { amount: money(amount, currency) });
	const outcome = await sandbox.send(asked, context(NONE, { card: card() }));
	t.is(typeof outcome === 'string' ? outcome : outcome.result, result);
	t.deepEqual(await sandbox.send(asked, context(NONE, { card: card() })), outcome, 'the same every time');
});

test('any other amount is approved', answers, '10.23', 'USD', 'Success');
test('.05 is rejected', answers, '10.05', 'USD', 'Rejected');
test('the last two digits decide in a currency without decimals', answers, '1005', 'JPY', 'Rejected');
test('.51 fails for now', answers, '0.51', 'USD', 'TemporaryFailure');
test('.91 fails for good', answers, '0.91', 'USD', 'FatalFailure');

test('.77 never answers, and turns out to have been done', async (t) => {
	const asked = order('Charge', { amount: money('1.77', 'USD') });
	const deadline = new AbortController();
	setTimeout(() => deadline.abort(), 50);
	t.is(await sandbox.send(asked, context(NONE, { card: card(), signal: deadline.signal })), 'unknown');
	t.like(await sandbox.query!(asked, context(NONE)), { result: 'Success' });
});

const allows = test.macro(async (t, operation: Operation, amount: string | null, known: object, result: string) => {
	const asked = order(operation, {
		gatewayReference: 'SBX-1',
		amount: amount === null ? undefined : money(amount, 'USD'),
	});
	t.like(await sandbox.send(asked, context(NONE, { known: { ...KNOWN, ...known } })), { result });
});

test('part of an authorised amount can be captured', allows, 'Capture', '4.00', {}, 'Success');
test('the rest can be captured', allows, 'Capture', '6.23', { capturedMinor: 400 }, 'Success');
test('more than was authorised cannot be captured', allows, 'Capture', '6.24', { capturedMinor: 400 }, 'Rejected');
test('what was charged cannot be captured', allows, 'Capture', '1.00', { operation: 'Charge' }, 'Rejected');
test('what was voided cannot be captured', allows, 'Capture', '1.00', { isVoided: true }, 'Rejected');
test('what was captured can be refunded', allows, 'Refund', '4.00', { capturedMinor: 400 }, 'Success');
test('what was not captured cannot be refunded', allows, 'Refund', '4.00', {}, 'Rejected');
test('an authorised payment can be voided', allows, 'Void', null, {}, 'Success');
test('a captured payment cannot be voided', allows, 'Void', null, { capturedMinor: 400 }, 'Rejected');
