import type { ExecutionContext } from 'ava';
import { EXPIRY_ABSENT, EXPIRY_UNREADABLE } from '../../src/base/card/expiry.ts';
import { findCardType } from '../../src/base/card/names/brand-names.ts';
import { FileError, type Format } from '../../src/engine/format.ts';
import type { FixtureCase, FixtureSpan } from './fixture-cases.ts';
import { type ScannedFinding, scanAll } from './scan.ts';

/**
 * These spans must not be found by a scanner of columns, because they are outside the card columns or in rows that are
 * skipped.
 */
const isDecoy = (span: FixtureSpan) => /^(undesignated column|ticket number|passed over)/.test(span.why ?? '');

/** Each fixture is cut into windows of these sizes: the whole file, single bytes, and a size between. */
const CUTS: readonly (readonly number[] | undefined)[] = [undefined, [1], [7, 1, 64], [4096]];

/** Checks that the findings of a delimited fixture are those of `expected.json`, no matter how the file is cut. */
export function checkDelimitedFixture<Options>(
	t: ExecutionContext,
	format: Format<Options>,
	fixture: FixtureCase,
): void {
	const options = format.options.parse(fixture.config);
	for (const windowSizes of CUTS) {
		const endsLate = windowSizes !== undefined;
		if (fixture.error === undefined) {
			const findings = scanAll(format, options, fixture.bytes, { windowSizes, endsLate });
			checkFindings(t, fixture, findings);
			t.deepEqual(scanAll(format, options, fixture.bytes, { windowSizes, direction: 'detokenize' }), findings);
		} else {
			const error = t.throws(() => scanAll(format, options, fixture.bytes, { windowSizes, endsLate }), {
				instanceOf: FileError,
			});
			const { message, ...at } = fixture.error;
			t.true(error.message.includes(message), error.message);
			t.like(error.at, at);
		}
	}
}

function checkFindings(t: ExecutionContext, fixture: FixtureCase, findings: readonly ScannedFinding[]): void {
	const numbers = fixture.spans.filter((span) => span.kind !== 'cvv' && !isDecoy(span));
	t.deepEqual(
		findings.map(({ number }) => number),
		numbers.map(({ offset, length, raw }) => ({ offset, length, raw })),
	);
	for (const [i, span] of numbers.entries()) {
		const finding = findings[i];
		t.is(finding.line, lineAt(fixture.bytes, span.offset), `line of ${span.raw}`);
		if (span.kind === 'tokenize') {
			t.is(finding.expiry, expectedExpiry(span.exp, fixture), `expiry of ${span.raw}`);
			if (span.cvv !== undefined) t.is(finding.cvv?.raw, span.cvv);
			if (finding.type !== undefined) t.is(findCardType(finding.type.raw), findCardType(span.code ?? ''));
		} else if (span.why === 'Expiration date is not readable') t.is(finding.expiry, EXPIRY_UNREADABLE);
	}
	const tokenized = new Set(numbers.filter((span) => span.kind === 'tokenize').map((span) => span.offset));
	const cvvs = findings.filter(({ number }) => tokenized.has(number.offset)).flatMap(({ cvv }) => cvv ?? []);
	const expected = fixture.spans.filter((span) => span.kind === 'cvv');
	t.deepEqual(
		cvvs.sort((one, other) => one.offset - other.offset),
		expected.map(({ offset, length, raw }) => ({ offset, length, raw })),
	);
}

/** Returns the expiry as `expected.json` writes it. It is read in another way than the scanner reads it. */
function expectedExpiry(written: string | undefined, fixture: FixtureCase): number {
	if (written === undefined) return EXPIRY_ABSENT;
	const isYearFirst = written.indexOf('-') === 4 || JSON.stringify(fixture.config).includes('"YYMM"');
	const digits = written.replace(/\D/g, '');
	const month = isYearFirst ? digits.slice(-2) : digits.slice(0, 2);
	const year = isYearFirst ? digits.slice(0, -2) : digits.slice(2);
	return Number(`${year.length === 2 ? '20' : ''}${year}${month}`);
}

function lineAt(bytes: Buffer, offset: number): number {
	return bytes.toString('latin1', 0, offset).split(/\r\n|\r|\n/).length;
}
