// Checks every fixture of AIR and IUR.

import type { ExecutionContext } from 'ava';
import { EXPIRY_ABSENT, EXPIRY_UNREADABLE } from '../../src/base/card/expiry.ts';
import { REFUSALS } from '../../src/base/card/verdict.ts';
import { FileError, type Format } from '../../src/engine/format.ts';
import type { FixtureCase, FixtureSpan } from './fixture-cases.ts';
import { type ScannedFinding, scanAll } from './scan.ts';

const CUTS = [[1], [7, 1, 64], [4096], [8191, 3]];

/**
 * The reasons of `leave` spans that stand in the place of a card number: the engine judges that number and leaves it
 * unchanged.
 */
const LEFT_BY_ENGINE = [...Object.values(REFUSALS), 'a token already'];

/**
 * Checks the findings of a fixture against its spans, in both directions and however the file is cut. `padding` is a whole
 * file of the format without cards, larger than the head that a scanner waits for, so that every cut behind it has an
 * effect.
 */
export function checkFixture<Options>(
	t: ExecutionContext,
	format: Format<Options>,
	fixture: FixtureCase,
	padding: Buffer,
): void {
	const options = format.options.parse(fixture.config);
	if (fixture.error === undefined) checkFindings(t, format, options, fixture, padding);
	else for (const windowSizes of [undefined, ...CUTS]) checkError(t, format, options, fixture, windowSizes);
}

function checkFindings<Options>(
	t: ExecutionContext,
	format: Format<Options>,
	options: Options,
	fixture: FixtureCase,
	padding: Buffer,
): void {
	const findings = scanAll(format, options, fixture.bytes);
	const expected = fixture.spans.filter(
		(span) => span.kind === 'tokenize' || LEFT_BY_ENGINE.some((why) => span.why?.startsWith(why)),
	);
	t.deepEqual(
		findings.map(({ number }) => number),
		expected.map(({ offset, length, raw }) => ({ offset, length, raw })),
	);
	t.deepEqual(
		// Stars are found too, so that detokenizing can replace them; tokenizing leaves them unchanged.
		findings.flatMap(({ cvv }) => (cvv && !cvv.raw.startsWith('*') ? cvv : [])).sort((a, b) => a.offset - b.offset),
		fixture.spans.filter(({ kind }) => kind === 'cvv').map(({ offset, length, raw }) => ({ offset, length, raw })),
	);
	for (const [index, finding] of findings.entries()) checkFacts(t, finding, expected[index]);
	const hasMark = fixture.bytes[0] === 0xef;
	const padded = Buffer.concat([padding, fixture.bytes.subarray(hasMark ? 3 : 0)]);
	const paddedFindings = scanAll(format, options, padded);
	t.deepEqual(
		paddedFindings.map(({ number }) => number.raw),
		findings.map(({ number }) => number.raw),
	);
	for (const cut of CUTS) {
		const windowSizes = cutBehind(padding.length, cut, padded.length);
		for (const direction of ['tokenize', 'detokenize'] as const) {
			t.deepEqual(scanAll(format, options, padded, { direction, windowSizes }), paddedFindings);
		}
		t.deepEqual(scanAll(format, options, padded, { windowSizes, endsLate: true }), paddedFindings);
		t.deepEqual(scanAll(format, options, fixture.bytes, { windowSizes: cut, endsLate: true }), findings);
	}
}

/**
 * Returns a first window of `head` bytes, then windows of these sizes in turn for the rest of a file of `length` bytes.
 */
export function cutBehind(head: number, sizes: readonly number[], length: number): number[] {
	const windows = [head];
	for (let at = head, turn = 0; at < length; turn++) {
		windows.push(sizes[turn % sizes.length]);
		at += sizes[turn % sizes.length];
	}
	return windows;
}

function checkError<Options>(
	t: ExecutionContext,
	format: Format<Options>,
	options: Options,
	fixture: FixtureCase,
	windowSizes: readonly number[] | undefined,
): void {
	const error = t.throws(() => scanAll(format, options, fixture.bytes, { windowSizes }), { instanceOf: FileError });
	const { message = '', ...at } = fixture.error ?? {};
	t.like(error.at, at);
	t.true(error.message.includes(message), error.message);
}

function checkFacts(t: ExecutionContext, finding: ScannedFinding, span: FixtureSpan): void {
	const at = `offset ${span.offset}`;
	if (span.kind === 'tokenize') t.is(finding.expiry, expiryOf(span.exp), at);
	if (span.why?.startsWith(REFUSALS.expiry)) t.is(finding.expiry, EXPIRY_UNREADABLE, at);
	if (span.code !== undefined) t.is(finding.type?.raw, span.code, at);
}

/** Reads an expiry such as `1229` or `12/29`, perhaps with a remark after it. */
function expiryOf(text: string | undefined): number {
	if (text === undefined) return EXPIRY_ABSENT;
	const [, month, year] = /^(\d\d)\/?(\d\d)/.exec(text) ?? [];
	return (2000 + Number(year)) * 100 + Number(month);
}
