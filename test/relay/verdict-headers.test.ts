import test from 'ava';
import type { Token } from '../../src/vault/tokens/token.ts';
import { listHeaders } from '../../src/work/relay/verdict-headers.ts';

const MASK = { tokenHeader: 'X-service-cardUri', inPlace: 'mask' } as const;
const uriOf = (token: Token) => `https://vault.example/${token}`;
const tokens = (count: number) => Array.from({ length: count }, (_, nth) => String(nth).padStart(32, '0') as Token);
const none = (count: number) => Array<string>(count).fill('');

test('spec §4.1: nothing is said of no card, or of cards without errors', (t) => {
	t.deepEqual(listHeaders(MASK, { tokens: [], errors: [], warnings: [] }, uriOf), []);
	t.deepEqual(listHeaders(MASK, { tokens: [], errors: none(2), warnings: none(2) }, uriOf), []);
});

test('spec §4.1: errors and warnings separated by ;;, each at the position of its card', (t) => {
	const [first] = tokens(1);
	const found = {
		tokens: [first],
		errors: ['', 'Expired card', 'Luhn (Mod10) error'],
		warnings: ['The Card type is missing', '', ''],
	};
	t.deepEqual(listHeaders({ ...MASK, tokenHeader: 'X-Ours' }, found, uriOf), [
		['X-Ours', `https://vault.example/${first}`],
		['X-service-Tokenization-Errors', ';;Expired card;;Luhn (Mod10) error'],
		['X-service-Tokenization-Warnings', 'The Card type is missing;;;;'],
	]);
});

test('shapes §4: URIs separated by commas, in several headers where one would be too long', (t) => {
	const all = tokens(500);
	const headers = listHeaders(MASK, { tokens: all, errors: none(500), warnings: none(500) }, uriOf);
	t.true(headers.length > 2);
	t.true(headers.every(([name, value]) => name === 'X-service-cardUri' && value.length <= 7000));
	t.deepEqual(
		headers
			.map(([, value]) => value)
			.join(',')
			.split(','),
		all.map(uriOf),
	);
});

test('shapes §4: where tokens stand in the message, a list that is too long is left out', (t) => {
	const inPlace = { ...MASK, inPlace: 'token' } as const;
	const found = (count: number) => ({ tokens: tokens(count), errors: none(count), warnings: none(count) });
	t.is(listHeaders(inPlace, found(3), uriOf).length, 1);
	t.deepEqual(listHeaders(inPlace, found(500), uriOf), []);
});

test('spec §4.1: a list cut short keeps the positions it has', (t) => {
	const errors = Array.from({ length: 1000 }, (_, nth) => (nth % 2 ? 'Luhn (Mod10) error' : ''));
	const [[, list]] = listHeaders(MASK, { tokens: [], errors, warnings: none(1000) }, uriOf);
	const entries = list.split(';;');
	t.true(list.length <= 7000 && entries.length > 300);
	t.deepEqual(entries, errors.slice(0, entries.length));
});
