// @ts-check
// Leads from a problem of a profile to its line in the text.

import { onShown } from './portal-shown.js';

onShown(() => {
	const field = document.getElementById('text');
	const problems = document.getElementById('problems');
	if (!(field instanceof HTMLTextAreaElement) || !problems) return;
	problems.addEventListener('click', (event) => {
		const link = event.target instanceof Element ? event.target.closest('a[data-line]') : null;
		if (!(link instanceof HTMLAnchorElement)) return;
		event.preventDefault();
		const lines = field.value.split('\n');
		const before = lines.slice(0, Number(link.dataset.line) - 1);
		const start = before.reduce((sum, line) => sum + line.length + 1, 0) + Number(link.dataset.column) - 1;
		const end = start + Math.max((lines[before.length] ?? '').length - Number(link.dataset.column) + 1, 0);
		field.focus();
		field.setSelectionRange(start, end);
	});
});
