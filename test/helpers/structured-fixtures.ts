import type { ExecutionContext } from 'ava';
import { EXPIRY_ABSENT, EXPIRY_UNREADABLE } from '../../src/base/card/expiry.ts';
import { findCardType } from '../../src/base/card/names/brand-names.ts';
import { REFUSALS } from '../../src/base/card/verdict.ts';
import { FileError, type Format } from '../../src/engine/format.ts';
import type { FixtureCase, FixtureSpan } from './fixture-cases.ts';
import { type ScannedFinding, scanAll } from './scan.ts';

/**
 * The reasons for which something in the place of a card is left unchanged: the scanner finds it, but the engine leaves it.
 */
const LEFT_IN_PLACE: readonly string[] = ['masked', 'token or hash', ...Object.values(REFUSALS)];

/** The sizes of the windows into which every fixture is cut: the whole, single bytes, and something between. */
const CUTS: readonly (readonly number[] | undefined)[] = [undefined, [1], [7, 1, 64], [4096]];

/** Checks that a scanner finds in a markup or JSON fixture what its `expected.json` says, however the file is cut. */
export function checkStructuredFixture<O>(t: ExecutionContext, format: Format<O>, fixture: FixtureCase): void {
	const options = format.options.parse(fixture.config);
	for (const windowSizes of CUTS) {
		for (const endsLate of [false, true]) {
			const way = { windowSizes, endsLate };
			if (fixture.error === undefined) {
				const findings = scanAll(format, options, fixture.bytes, way);
				checkFindings(t, format, fixture, findings);
				t.deepEqual(scanAll(format, options, fixture.bytes, { ...way, direction: 'detokenize' }), findings);
			} else {
				const error = t.throws(() => scanAll(format, options, fixture.bytes, way), { instanceOf: FileError });
				const { message, ...at } = fixture.error;
				t.true(error.message.includes(message), error.message);
				t.like(error.at, at);
				t.notRegex(error.message, /\d{8}/);
			}
		}
	}
}

function checkFindings<O>(
	t: ExecutionContext,
	format: Format<O>,
	fixture: FixtureCase,
	findings: ScannedFinding[],
): void {
	const numbers = fixture.spans.filter(
		({ kind, why }) => kind === 'tokenize' || (kind === 'leave' && LEFT_IN_PLACE.includes(why ?? '')),
	);
	t.deepEqual(
		findings.map(({ number }) => number),
		numbers.map(({ offset, length, raw }) => ({ offset, length, raw })),
	);
	const cvvs = [];
	for (const [i, span] of numbers.entries()) {
		const finding = findings[i];
		t.is(finding.line, lineAt(fixture.bytes, span.offset), `line of ${span.raw}`);
		if (span.kind === 'tokenize') {
			checkCard(t, format, fixture, span, finding);
			if (finding.cvv !== undefined) cvvs.push(finding.cvv);
		} else if (span.why === REFUSALS.expiry) t.is(finding.expiry, EXPIRY_UNREADABLE);
	}
	t.deepEqual(
		cvvs.sort((one, other) => one.offset - other.offset),
		fixture.spans.filter(({ kind }) => kind === 'cvv').map(({ offset, length, raw }) => ({ offset, length, raw })),
	);
}

function checkCard<O>(
	t: ExecutionContext,
	format: Format<O>,
	fixture: FixtureCase,
	span: FixtureSpan,
	finding: ScannedFinding,
): void {
	const text = finding.isEscaped
		? format.decode!(fixture.bytes, span.offset, span.offset + span.length).toString('latin1')
		: span.raw;
	t.is(text.replace(/[ -]/g, ''), span.pan ?? '');
	t.is(finding.expiry, expectedExpiry(span.exp, fixture), `expiry of ${span.raw}`);
	t.is(finding.cvv?.raw, span.cvv ?? finding.cvv?.raw);
	if (finding.type !== undefined) t.is(findCardType(finding.type.raw), findCardType(span.code ?? finding.type.raw));
}

/** Returns the expiry that `expected.json` states, read in another way than the scanner reads it. */
function expectedExpiry(written: string | undefined, fixture: FixtureCase): number {
	if (written === undefined) return EXPIRY_ABSENT;
	const isSplit = written.includes('/');
	const isYearFirst = written.indexOf('-') === 4 || (!isSplit && fixture.config.expiryFormat === 'YYMM');
	const digits = written.replace(/^(\d)\//, '0$1').replace(/\D/g, '');
	const month = isYearFirst ? digits.slice(-2) : digits.slice(0, 2);
	const year = isYearFirst ? digits.slice(0, -2) : digits.slice(2);
	return Number(`${year.length === 2 ? '20' : ''}${year}${month}`);
}

function lineAt(bytes: Buffer, offset: number): number {
	return bytes.toString('latin1', 0, offset).split(/\r\n|\r|\n/).length;
}
