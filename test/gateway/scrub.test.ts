import test from 'ava';
import { outcomeOf } from '../../src/work/payments/gateway/operation.ts';
import { scrubOutcome } from '../../src/work/payments/gateway/scrub.ts';

test('a text that is cut to fit the journal ends with a whole character', (t) => {
	const gatewayResultDescription = `${'a'.repeat(254)}\u{1f4b3} declined`;
	const outcome = outcomeOf('Rejected', 'Declined', { gatewayResultDescription });
	const scrubbed = scrubOutcome(outcome, { secrets: [] }).gatewayResultDescription!;
	t.is(scrubbed.length, 255);
	t.true(scrubbed.isWellFormed());
});

test('a number that the cut goes through is masked before the text is cut', (t) => {
	for (const [before, text] of [
		[241, '4111111111111111'],
		[240, '4111 1111 1111 1111'],
		[245, '4111-1111-1111-1111'],
	] as const) {
		const gatewayResultDescription = `${'a'.repeat(before)}${text} declined`;
		const outcome = outcomeOf('Rejected', gatewayResultDescription, { gatewayResultDescription });
		const scrubbed = scrubOutcome(outcome, { secrets: [] });
		for (const shown of [scrubbed.gatewayResultDescription!, scrubbed.description]) {
			t.is(shown.length, 255);
			// The first six and the last four digits may be shown, as far as they fit.
			t.regex(shown.slice(before).replaceAll(/[ -]/g, ''), /^411111\*{1,6}1{0,4}$/);
		}
	}
});

test('a long text of digits does not take long', (t) => {
	const began = process.cpuUsage();
	const outcome = outcomeOf('Rejected', 'Declined', { gatewayResultDescription: '4 '.repeat(500_000) });
	t.is(scrubOutcome(outcome, { secrets: [] }).gatewayResultDescription?.length, 255);
	const { user, system } = process.cpuUsage(began);
	t.true(user + system < 1_000_000, `${user + system} µs`);
});
