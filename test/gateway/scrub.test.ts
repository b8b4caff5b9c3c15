import test from 'ava';
import { outcomeOf } from '../../src/gateway/operation.ts';
import { scrubOutcome } from '../../src/gateway/scrub.ts';

test('a text that is cut to fit the journal ends with a whole character', (t) => {
	const gatewayResultDescription = `${'a'.repeat(254)}\u{1f4b3} declined`;
	const outcome = outcomeOf('Rejected', 'Declined', { gatewayResultDescription });
	const scrubbed = scrubOutcome(outcome, { secrets: [] }).gatewayResultDescription!;
	t.is(scrubbed.length, 255);
	t.true(scrubbed.isWellFormed());
});
