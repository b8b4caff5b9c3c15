// What the tests of AIR and IUR ask of every fixture.

import type { ExecutionContext } from 'ava';
import { EXPIRY_ABSENT, EXPIRY_UNREADABLE } from '../../src/card/expiry.ts';
import { REFUSALS } from '../../src/card/verdict.ts';
import { FileError, type Format } from '../../src/transfer/format.ts';
import type { FixtureCase, FixtureSpan } from './fixture-cases.ts';
import { type ScannedFinding, scanAll } from './scan.ts';

const WINDOWS = [[1], [7, 1, 64], [4096], [8191, 3]];

/** A `leave` span that stands at a card number's place, so the engine judges it and leaves it. */
const LEFT_BY_ENGINE = [...Object.values(REFUSALS), 'a token already'];

/** Checks the findings of a fixture against its spans, in both directions and however the file is cut. */
export function checkFixture<Options>(t: ExecutionContext, format: Format<Options>, fixture: FixtureCase): void {
	const options = format.options.parse(fixture.config);
	if (fixture.error !== undefined) {
		for (const windowSizes of [undefined, ...WINDOWS]) {
			const error = t.throws(() => scanAll(format, options, fixture.bytes, { windowSizes }), { instanceOf: FileError });
			const { offset, line, record, message } = fixture.error;
			t.is(error.at.offset, offset);
			if (line !== undefined) t.is(error.at.line, line);
			if (record !== undefined) t.is(error.at.record, record);
			t.true(error.message.includes(message), error.message);
		}
		return;
	}
	const findings = scanAll(format, options, fixture.bytes);
	const expected = fixture.spans.filter(
		(span) => span.kind === 'tokenize' || LEFT_BY_ENGINE.some((why) => span.why?.startsWith(why)),
	);
	t.deepEqual(
		findings.map(({ number }) => number),
		expected.map(({ offset, length, raw }) => ({ offset, length, raw })),
	);
	t.deepEqual(
		findings.flatMap(({ cvv }) => cvv ?? []).sort((a, b) => a.offset - b.offset),
		fixture.spans.filter(({ kind }) => kind === 'cvv').map(({ offset, length, raw }) => ({ offset, length, raw })),
	);
	for (const [index, finding] of findings.entries()) checkFacts(t, finding, expected[index]);
	for (const direction of ['tokenize', 'detokenize'] as const) {
		for (const windowSizes of WINDOWS) {
			t.deepEqual(scanAll(format, options, fixture.bytes, { direction, windowSizes }), findings);
		}
		t.deepEqual(scanAll(format, options, fixture.bytes, { direction, endsLate: true }), findings);
	}
}

function checkFacts(t: ExecutionContext, finding: ScannedFinding, span: FixtureSpan): void {
	const at = `offset ${span.offset}`;
	if (span.kind === 'tokenize') t.is(finding.expiry, expiryOf(span.exp), at);
	if (span.why?.startsWith(REFUSALS.expiry)) t.is(finding.expiry, EXPIRY_UNREADABLE, at);
	if (span.code !== undefined) t.is(finding.type?.raw, span.code, at);
}

/** `1229` or `12/29`, perhaps with a remark behind it. */
function expiryOf(text: string | undefined): number {
	if (text === undefined) return EXPIRY_ABSENT;
	const [, month, year] = /^(\d\d)\/?(\d\d)/.exec(text) ?? [];
	return (2000 + Number(year)) * 100 + Number(month);
}
