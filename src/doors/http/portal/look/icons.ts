// The icons of the portal. Each is drawn here with lines on a square of 24 units, in the colour of the text beside it, and
// says nothing that this text does not say.

import { type Html, html } from '../../../../base/pages/html.ts';

const LINES = {
	overview: 'M4 20V10M10 20V4M16 20v-7M22 20H2',
	files: 'M6 3h8l5 5v13H6zM14 3v5h5',
	try: 'M9 3h6M10 3v6l-6 11h16L14 9V3M7 15h10',
	folders: 'M3 6h6l2 2h10v11H3z',
	cards: 'M2 6h20v13H2zM2 10h20M6 15h4',
	requests: 'M3 6h18v13H3zM3 7l9 7 9-7',
	routes: 'M4 19a3 3 0 1 0 0-.01M20 5a3 3 0 1 0 0-.01M7 19h9a3 3 0 0 0 0-6H8a3 3 0 0 1 0-6h6',
	events: 'M6 17V11a6 6 0 0 1 12 0v6l2 1H4zM10 21h4',
	parties: 'M4 8h15l-4-4M20 16H5l4 4',
	payments: 'M3 7h18v10H3zM12 10v4M6 10v4M18 10v4',
	access: 'M8 16a4 4 0 1 1 3.5-6H22v4h-2v2h-4v-2h-4.5A4 4 0 0 1 8 16z',
	people:
		'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2 20c0-4 3-6 7-6s7 2 7 6M16 4a3.5 3.5 0 0 1 0 7M18 14c3 1 4 3 4 6',
	trail: 'M12 8v5l3 2M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4',
	installation: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
	me: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 3.5-6 8-6s8 2 8 6',
	menu: 'M3 6h18M3 12h18M3 18h18',
	find: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21',
	signOut: 'M10 4H4v16h6M9 12h12M17 8l4 4-4 4',
	system: 'M3 5h18v11H3zM9 20h6M12 16v4',
	light:
		'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5',
	dark: 'M20 14A8.5 8.5 0 0 1 10 4a8.5 8.5 0 1 0 10 10z',
	empty: 'M3 13l3-8h12l3 8v6H3zM3 13h5l2 3h4l2-3h5',
} as const;

export type IconName = keyof typeof LINES;

export function icon(name: IconName): Html {
	return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${LINES[name]}"/></svg>`;
}
