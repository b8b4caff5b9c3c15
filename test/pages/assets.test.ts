import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { findAsset, getAsset, readStyles } from '../../src/base/pages/assets.ts';

test('the address of a file changes with its content, and its packed form is the same file', (t) => {
	const asset = getAsset('base.css');
	const hash = createHash('sha256').update(asset.bytes).digest('hex').slice(0, 16);
	t.is(asset.path, `/assets/base-${hash}.css`);
	t.deepEqual(gunzipSync(asset.gzipped), asset.bytes);
	t.is(asset.integrity, `sha384-${createHash('sha384').update(asset.bytes).digest('base64')}`);
	t.is(findAsset(asset.path), asset);
});

test('no other address finds a file', (t) => {
	const wrong = [
		'/assets/base-0000000000000000.css',
		'/assets/base.css',
		'/assets/../page-0.ts',
		'/assets/none-00.js',
		'',
	];
	for (const path of wrong) t.is(findAsset(path), undefined, path);
});

test('a style sheet in a page is without comments and indentation', (t) => {
	t.notRegex(readStyles('base.css'), /\/\*|\t/);
});
