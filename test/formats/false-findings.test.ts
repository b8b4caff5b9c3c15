import test from 'ava';
import { countFalseFindings } from '../../bench/false-findings.ts';

test('no ticket, flyer, phone, booking or account is taken for a card, whatever airline stands before it', (t) => {
	const { findings, lookAlikes } = countFalseFindings(60_000, 1);
	t.is(findings, 0);
	// Without many numbers that look like cards, no findings would prove nothing.
	t.true(lookAlikes > 500);
});
