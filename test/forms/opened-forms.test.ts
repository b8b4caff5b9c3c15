import test from 'ava';
import fc from 'fast-check';
import { OpenedForms, type ReadForm } from '../../src/work/cardholders/forms/opened-forms.ts';

const form = (expiresAt: number, options = '{}') => ({ row: { options, expires_at: expiresAt } }) as ReadForm;

test('a form is found until it is submitted', (t) => {
	const opened = new OpenedForms();
	opened.remember('a', form(100), 0);
	const found = opened.find('a')!;
	t.is(found.row.expires_at, 100);
	t.is(opened.find('b'), undefined);
	opened.forget(form(100));
	t.is(opened.find('a'), found, 'one that was read from the database is another one');
	opened.forget(found);
	opened.forget(found);
	t.is(opened.find('a'), undefined);
	t.is(opened.size, 0);
});

test('forms whose time is up are forgotten when others are opened', (t) => {
	const opened = new OpenedForms();
	for (const [id, expiresAt] of [
		['a', 100],
		['b', 110],
		['c', 120],
	] as const)
		opened.remember(id, form(expiresAt), 0);
	opened.remember('d', form(200), 110);
	t.is(opened.size, 2);
	t.deepEqual(
		['a', 'b', 'c', 'd'].map((id) => opened.find(id) !== undefined),
		[false, false, true, true],
	);
});

test('however many forms are opened and however long their options are, they stay within the limit', (t) => {
	const sizes = fc.array(fc.nat(3000), { maxLength: 60 });
	fc.assert(
		fc.property(sizes, fc.array(fc.nat(59)), (lengths, submitted) => {
			const opened = new OpenedForms(10_000);
			const isKept = (n: number) => opened.find(String(n)) !== undefined;
			for (const [n, length] of lengths.entries()) {
				opened.remember(String(n), form(100, 'x'.repeat(length)), 0);
				if (submitted.includes(n)) opened.forget(opened.find(String(n))!);
				const kept = lengths.slice(0, n + 1).filter((_, at) => isKept(at));
				t.is(kept.length, opened.size);
				t.true(kept.reduce((sum, each) => sum + each + 512, 0) <= 10_000);
				t.true(submitted.includes(n) || isKept(n), 'the latest form is always kept');
			}
		}),
	);
});
