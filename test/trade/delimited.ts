// Generates delimited files as agencies and hotels export them, for the filters GBT, SIMPLECSV and CSV.

import { type Card, maskedNumber, spell, spellExpiry } from './cards.ts';
import { decoy } from './decoys.ts';
import { framing, titleLines, totalRow } from './delimited-frame.ts';
import type { Dice } from './dice.ts';
import { type Encoding, finish, type GeneratedFile, type Pieces, type Place, pieces } from './draft.ts';
import { inStyle } from './names.ts';
import { type At, Pen } from './pen.ts';
import { cardRemark, plainRemark } from './remarks.ts';
import { LANGUAGES, NAMES, OTHER_NAMES, TELLING_CVV_NAMES, UNLISTED_NUMBER_NAMES } from './vocabulary.ts';

type Cell = (row: Row) => Pieces;

/** What the cells of one row have in common. */
interface Row {
	/** The card of the row, and a second one where the file has two number columns. */
	readonly cards: readonly Card[];
	readonly isMasked: boolean;
	readonly isBroken: boolean;
	readonly hasNames: boolean;
}

interface Column {
	readonly name: string;
	readonly cell: Cell;
	/** The field that the column is in a mapping of the filter CSV; only columns of the first card have one. */
	readonly role?: 'cardNumber' | 'expiry' | 'cvv';
}

/** Generates one file for the filter. `seed` is its name, by which this file alone can be generated again. */
export function delimitedFile(filter: 'GBT' | 'SIMPLECSV' | 'CSV', dice: Dice, seed: string): GeneratedFile {
	const encoding: Encoding = dice.percent(25) ? 'latin1' : 'utf8';
	const pen = new Pen(dice, encoding);
	const hasNoKnownPlace = dice.percent(2);
	const columns = pickColumns(pen, hasNoKnownPlace);
	const frame = framing(dice, encoding);
	const options = filter === 'CSV' && !hasNoKnownPlace && dice.percent(30) ? mapping(dice, columns) : {};
	const rows: Pieces[][] = [];
	const perRow = columns.some(({ name }) => name.endsWith(' 2')) ? 2 : 1;
	while (pen.hasCardsLeft) {
		const row = {
			cards: Array.from({ length: perRow }, () => pen.card()),
			isMasked: dice.percent(4),
			isBroken: dice.percent(3),
			hasNames: options.header !== false,
		};
		rows.push(columns.map(({ cell }) => cell(row)));
	}
	const empty: Pieces[] = columns.map(() => []);
	if (dice.percent(15)) rows.splice(dice.below(rows.length + 1), 0, empty);
	if (dice.percent(15)) rows.push(totalRow(dice, columns.length));
	if (dice.percent(8)) {
		rows.at(-1)!.push(pieces`${pen.number(pen.card(), { isKnown: false, what: 'cell beyond the header' })}`);
	}
	const fileOf = (whole: Pieces): GeneratedFile => {
		const { bytes, places } = finish(whole, encoding);
		return { filter, seed, bytes, places: numberedPlaces(places, columns), options, hasNoKnownPlace };
	};
	if (options.header === false) {
		return fileOf([frame.mark, ...frame.join(rows, dice)]);
	}
	rows.unshift(columns.map(({ name }) => [name]));
	if (filter === 'GBT') addControlRows(dice, rows);
	return fileOf([frame.mark, ...titleLines(dice, frame, columns.length), ...frame.join(rows, dice)]);
}

/** Adds the number of its column to each place, because a report names a column by its number if it has found no header. */
function numberedPlaces(places: readonly Place[], columns: readonly Column[]): Place[] {
	return places.map((place) => {
		const index = columns.findIndex(({ name }) => name === place.name);
		return index === -1 ? place : { ...place, columnName: `column ${index + 1}` };
	});
}

function addControlRows(dice: Dice, rows: Pieces[][]): void {
	if (dice.percent(20)) rows.push([['T'], [String(rows.length)]]);
	if (dice.percent(40)) rows.unshift([['H'], ['GBT'], ['20260001'], ['20261120']]);
}

/** Returns options that designate the columns, by name or by index; the column of a CVV is left out now and then. */
function mapping(dice: Dice, columns: readonly Column[]): Record<string, unknown> {
	const byIndex = dice.percent(40);
	const designated: Record<string, unknown> = {};
	for (const [index, { role, name }] of columns.entries()) {
		if (role === undefined || (role === 'cvv' && !byIndex && dice.percent(20))) continue;
		designated[role] = byIndex ? { index } : { name };
	}
	return byIndex ? { columns: designated, header: false } : { columns: designated };
}

function pickColumns(pen: Pen, hasNoKnownPlace: boolean): Column[] {
	const { dice } = pen;
	const names = NAMES[dice.percent(50) ? 'english' : dice.pick(LANGUAGES)];
	const groups = !hasNoKnownPlace && dice.percent(8) ? [' 1', ' 2'] : [''];
	const columns: Column[] = [];
	for (const [at, suffix] of groups.entries()) columns.push(...cardColumns(pen, names, at, suffix, hasNoKnownPlace));
	for (const name of dice.shuffled(OTHER_NAMES).slice(0, dice.between(1, 7))) {
		columns.push({ name, cell: () => (dice.percent(70) ? pieces`${decoy(dice, name)}` : [dice.locator()]) });
	}
	if (dice.percent(60)) columns.push(remarkColumn(pen, dice.pick(names.remark)));
	return dedupe(dice.shuffled(columns));
}

function cardColumns(pen: Pen, names: (typeof NAMES)[string], at: number, suffix: string, isHidden: boolean): Column[] {
	const { dice, encoding } = pen;
	// Now and then a blank becomes a line end, because spreadsheets break long headers into lines.
	const styled = (list: readonly string[]) =>
		inStyle(dice, dice.pick(list), encoding).replace(' ', dice.percent(2) ? '\n' : ' ') + suffix;
	const numberName = isHidden ? dice.pick(UNLISTED_NUMBER_NAMES) : styled(names.number);
	const role = <R extends Column['role']>(of: R) => (at === 0 ? of : undefined);
	const columns: Column[] = [
		{ name: numberName, role: role('cardNumber'), cell: (row) => numberCell(pen, row, at, numberName, !isHidden) },
	];
	if (dice.percent(70)) {
		const name = styled(names.expiry);
		columns.push({ name, role: role('expiry'), cell: ({ cards }) => [spellExpiry(dice, cards[at])] });
	} else if (dice.percent(60)) {
		columns.push({ name: styled(names.month), cell: ({ cards }) => [cards[at].month] });
		columns.push({ name: styled(names.year), cell: ({ cards }) => [cards[at].year.slice(dice.pick([0, 2]))] });
	}
	if (dice.percent(65)) {
		const isTelling = dice.percent(15);
		const name = isTelling ? dice.pick(TELLING_CVV_NAMES) + suffix : styled(names.cvv);
		const what = isTelling ? `column "${name}", a telling name of a CVV` : `column "${name}", a CVV`;
		columns.push({
			name,
			role: role('cvv'),
			cell: ({ cards, isMasked }) =>
				dice.percent(3)
					? pieces`="${pen.cvv(cards[at], { isKnown: !isTelling, what: 'CVV in a formula', name })}"`
					: dice.percent(90)
						? pieces`${pen.cvv(cards[at], { isKnown: !isTelling, what: isMasked ? 'CVV beside a masked number' : what, name })}`
						: [],
		});
	}
	if (dice.percent(50))
		columns.push({ name: styled(names.type), cell: ({ cards }) => [dice.pick([cards[at].brand, cards[at].codes[0]])] });
	if (dice.percent(50))
		columns.push({
			name: styled(names.holder),
			cell: () => [dice.pick(['DUPONT, JEAN', 'Erika Muster', "O'Hara Bob"])],
		});
	return columns;
}

function numberCell(pen: Pen, row: Row, at: number, name: string, isNamed: boolean): Pieces {
	const { cards, isMasked, isBroken, hasNames } = row;
	// Without a header only the columns of the first card are designated, and nothing names the others.
	const isKnown = isNamed && (hasNames || at === 0);
	const { dice } = pen;
	if (isMasked) return [maskedNumber(dice)];
	const where = { isKnown, what: isKnown ? `column "${name}"` : 'number column of no known name', name };
	if (isBroken) return pieces`${pen.brokenNumber(cards[at], where)}`;
	const roll = dice.below(100);
	const plain = () => spell(dice, cards[at].digits, 'plain');
	if (roll < 4) return pieces`'${pen.numberAs(cards[at], { ...where, what: 'behind an apostrophe' }, plain())}`;
	if (roll < 8) return pieces`="${pen.numberAs(cards[at], { ...where, what: 'in a formula' }, plain())}"`;
	if (roll < 13) return crowdedCell(pen, cards[at], where);
	if (roll < 14)
		return pieces`${pen.numberAs(cards[at], { ...where, what: 'with a decimal, as data frames export' }, plain())}.0`;
	if (roll < 17) return pieces` ${pen.number(cards[at], { ...where, what: 'blanks around' })}  `;
	return pieces`${pen.number(cards[at], { ...where, what: isKnown ? 'number column' : where.what })}`;
}

/** Returns a cell of a number column in which people keep more than the number. */
function crowdedCell(pen: Pen, card: Card, where: At): Pieces {
	const { dice } = pen;
	const at = (what: string) => ({ ...where, what: `number column, ${what}` });
	const expiry = `${card.month}/${card.year.slice(2)}`;
	switch (dice.below(4)) {
		case 0: {
			const type = dice.pick([card.brand, card.codes[0]]);
			return pieces`${type} ${{ ...pen.number(card, at('the type before')), lead: type.length + 1 }}`;
		}
		case 1:
			return pieces`${pen.number(card, at('the type behind'))} (${card.brand})`;
		case 2:
			return pieces`${pen.number(card, at('expiry and code behind'))} ${expiry} ${pen.cvv(card, at('code behind'))}`;
		default: {
			const first = pen.number(card, at('first of two numbers'));
			const lead = Buffer.byteLength(first.raw) + 3;
			return pieces`${first} / ${{ ...pen.number(pen.card(), at('second of two numbers')), lead }}`;
		}
	}
}

function remarkColumn(pen: Pen, name: string): Column {
	return { name, cell: () => (pen.dice.percent(25) ? cardRemark(pen, name) : plainRemark(pen, name)) };
}

/** Drops each column whose name an earlier one has, because two columns of one name would be ambiguous in any table. */
function dedupe(columns: Column[]): Column[] {
	const seen = new Set<string>();
	return columns.filter(({ name }) => {
		const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
		if (seen.has(plain)) return false;
		seen.add(plain);
		return true;
	});
}
