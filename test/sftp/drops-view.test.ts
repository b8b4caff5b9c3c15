import test, { type ExecutionContext } from 'ava';
import { BYTES, FILTERS, get, names, openView, PUT, publish, put, READ, refused } from '../helpers/drops-view.ts';

test('the tree is the five areas with a folder for each filter', async (t) => {
	const tree = (await openView(t)).view();
	t.deepEqual(await names(tree, '/'), ['tokenize', 'tokenized', 'detokenize', 'detokenized', 'reports']);
	for (const area of await names(tree, '/')) t.deepEqual(await names(tree, `/${area}`), FILTERS);
	t.deepEqual(await names(tree, '/reports/GBT'), []);
	t.is((await tree.attributes('/tokenize/GBT')).kind, 'directory');
	await refused(t, tree.attributes('/etc'), 'no-such-file', /there are only \/tokenize/);
	await refused(t, tree.attributes('/tokenize/EDIFACT'), 'no-such-file', /folders in \/tokenize are TADC, GBT/);
	await refused(t, tree.attributes('/tokenize/GBT/a/b'), 'no-such-file', /there are only/);
	await refused(t, tree.makeDirectory('/tokenize/NEW'), 'permission-denied', /\/tokenize\/<FILTER>/);
	await refused(t, tree.removeDirectory('/tokenize/GBT'), 'permission-denied', /folders are fixed/);
	await refused(t, tree.open('/upload.csv', PUT), 'no-such-file', /there are only/);
	await refused(t, tree.open('/tokenize/GBT', PUT), 'permission-denied', /this is a folder/);
});

test('outputs and reports are read at any place, renamed in their folder, removed, and never written', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	await publish(setting, 'tokenized', 'may.csv', BYTES);
	await publish(setting, 'tokenized', 'june.csv', BYTES);
	await publish(setting, 'reports', 'may.csv.1.json', Buffer.from('{}'));
	const file = await tree.open('/tokenized/GBT/may.csv', READ);
	t.deepEqual(await file.read(131_000, 500), BYTES.subarray(131_000, 131_500));
	t.is((await file.read(BYTES.length, 10)).length, 0);
	t.is((await file.attributes()).size, BYTES.length);
	await refused(t, file.write(0, Buffer.from('x')), 'permission-denied', /reading only/);
	await tree.remove('/tokenized/GBT/may.csv');
	t.deepEqual(await file.read(0, 10), BYTES.subarray(0, 10), 'an open file stays readable');
	await file.close();
	await refused(t, tree.open('/tokenized/GBT/x.csv', PUT), 'permission-denied', /put yours into \/tokenize\/GBT/);
	await refused(
		t,
		tree.rename('/tokenized/GBT/june.csv', '/tokenized/CSV/june.csv', false),
		'permission-denied',
		/within/,
	);
	await tree.rename('/tokenized/GBT/june.csv', '/tokenized/GBT/june.done', false);
	await publish(setting, 'tokenized', 'june.csv', Buffer.from('new'));
	await refused(
		t,
		tree.rename('/tokenized/GBT/june.csv', '/tokenized/GBT/june.done', false),
		'failure',
		/exists already/,
	);
	await tree.rename('/tokenized/GBT/june.csv', '/tokenized/GBT/june.done', true);
	t.deepEqual(await get(tree, '/tokenized/GBT/june.done'), Buffer.from('new'));
	await tree.remove('/reports/GBT/may.csv.1.json');
	t.deepEqual(await names(tree, '/reports/GBT'), []);
});

test('folders ask for their permission by name, and stay visible without it', async (t) => {
	const setting = await openView(t);
	await publish(setting, 'detokenized', 'may.csv', BYTES);
	const tree = setting.view(['FileTokenize']);
	t.is((await tree.attributes('/detokenize/GBT')).kind, 'directory');
	await refused(
		t,
		tree.open('/detokenize/GBT/a.csv', PUT),
		'permission-denied',
		/Permission FileDetokenize is required/,
	);
	await refused(t, tree.open('/detokenized/GBT/may.csv', READ), 'permission-denied', /FileDetokenize/);
	await refused(t, names(tree, '/detokenized/GBT'), 'permission-denied', /FileDetokenize/);
	await refused(t, tree.remove('/detokenized/GBT/may.csv'), 'permission-denied', /FileDetokenize/);
	await refused(t, setting.view([]).open('/tokenize/GBT/a.csv', PUT), 'permission-denied', /FileTokenize/);
	await put(setting.view(['FileDetokenize']), '/detokenize/GBT/a.csv');
	t.is(setting.jobs[0].operation, 'detokenize');
});

test('a key without a permission for files neither reads nor removes results and reports, as over HTTP', async (t) => {
	const setting = await openView(t);
	await publish(setting, 'tokenized', 'may.csv', BYTES);
	await publish(setting, 'reports', 'may.csv.1.json', BYTES);
	const [result, report] = ['/tokenized/GBT/may.csv', '/reports/GBT/may.csv.1.json'];
	const none = setting.view([]);
	for (const path of [result, report]) {
		await refused(t, none.open(path, READ), 'permission-denied', /Permission FileTokenize is required/);
		await refused(t, none.attributes(path), 'permission-denied', /FileTokenize/);
		await refused(t, none.remove(path), 'permission-denied', /FileTokenize/);
		await refused(t, none.rename(path, `${path}.done`, false), 'permission-denied', /FileTokenize/);
	}
	await refused(t, names(none, '/reports/GBT'), 'permission-denied', /FileTokenize/);
	const detokenizing = setting.view(['FileDetokenize']);
	await refused(t, detokenizing.remove(result), 'permission-denied', /FileTokenize/);
	t.deepEqual(await get(detokenizing, report), BYTES);
	t.deepEqual(await get(setting.view(['FileTokenize']), result), BYTES);
});

test('an account sees its own files only', async (t) => {
	const setting = await openView(t);
	await put(setting.view(undefined, 'alice', 7), '/tokenize/GBT/a.part');
	t.deepEqual(await names(setting.view(undefined, 'eve', 8), '/tokenize/GBT'), []);
	await refused(
		t,
		setting.view(undefined, 'eve', 8).open('/tokenize/GBT/a.part', READ),
		'no-such-file',
		/no such file/,
	);
});

const badName = test.macro({
	title: (_, what: string) => `a name is refused that has ${what}`,
	async exec(t: ExecutionContext, _what: string, name: string, message: RegExp) {
		const tree = (await openView(t)).view();
		await refused(t, tree.open(`/tokenize/GBT/${name}`, PUT), 'failure', message);
		await put(tree, '/tokenize/GBT/ok.part');
		await refused(t, tree.rename('/tokenize/GBT/ok.part', `/tokenize/GBT/${name}`, false), 'failure', message);
	},
});
test(badName, 'too many bytes', 'ä'.repeat(101), /200 bytes/);
test(badName, 'control characters', 'a\u0007b', /control characters/);
test(badName, 'a card number', 'card-4111 1111 1111 1111.csv', /card numbers/);

test('a folder of many names is listed in pages, in order, each name once', async (t) => {
	const setting = await openView(t);
	const rows = Array.from({ length: 1234 }, (_, i) => ({
		...{
			account_id: 7,
			area: 'tokenized',
			filter: 'GBT',
			name: `f${String(i).padStart(5, '0')}`,
			blob_id: `b${i}`,
			size: 1,
		},
		...{ state: 'ready', created_at: 1, modified_at: 1 },
	}));
	await setting.parts.database.knex.batchInsert('drop_files', rows, 100);
	const pages: number[] = [];
	for await (const page of setting.view().list('/tokenized/GBT')) pages.push(page.length);
	t.deepEqual(pages, [500, 500, 234]);
	t.deepEqual(
		await names(setting.view(), '/tokenized/GBT'),
		rows.map((row) => row.name),
	);
});
