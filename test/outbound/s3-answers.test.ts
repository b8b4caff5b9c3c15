import test from 'ava';
import { findText, innerTexts } from '../../src/base/outbound/s3/s3-answers.ts';
import { bestTurn, MAX_TURN_MS } from '../helpers/longest-turn.ts';

test('texts and elements are found by name, and references are read', (t) => {
	const list =
		'<R xmlns="x"><Key>a&amp;b&#x41;&#66;</Key><KeyCount>2</KeyCount><C><Key>1</Key></C><C><Key>2</Key></C></R>';
	t.is(findText(list, 'Key'), 'a&bAB');
	t.is(findText(list, 'KeyCount'), '2');
	t.is(findText('<Key a="1">x</Key>', 'Key'), 'x');
	t.is(findText('<Keys>x</Keys><Key>y</Key>', 'Key'), 'y');
	t.is(findText('<Key><b>x</b></Key><Key>y</Key>', 'Key'), 'y');
	t.deepEqual(innerTexts(list, 'C'), ['<Key>1</Key>', '<Key>2</Key>']);
	for (const text of ['', '<Key', '<Key>', '<Key>x', '<Key>x</Ke>', '<Keys>x</Keys>'])
		t.is(findText(text, 'Key'), undefined, text);
	t.is(
		findText('<Key>&#x110000;&#99999999999;&nothing;</Key>', 'Key'),
		'&#x110000;&#99999999999;&nothing;',
		'no such sign',
	);
});

test('no answer keeps the thread from others, whatever a server sends', async (t) => {
	for (const part of ['<Contents>', '<Contents ', '<Contents><Key>', '<Contents></Content>']) {
		const xml = part.repeat(1_000_000 / part.length);
		for (const text of [xml, `${xml}>`, `${xml}</Contents>`]) {
			const turn = await bestTurn(async () => void [innerTexts(text, 'Contents'), findText(text, 'Contents')]);
			t.true(turn < MAX_TURN_MS, `${part}: ${turn.toFixed()} ms`);
		}
	}
});
