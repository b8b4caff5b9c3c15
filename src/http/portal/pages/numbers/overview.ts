// The page with which the portal begins: what one may use.

import { html } from '../../../../pages/html.ts';
import type { AnyPage } from '../../portal-page.ts';
import { SECTIONS, sectionsOf } from '../../sections.ts';

/** Returns the overview, which links to those of the paths that the viewer may open. */
export function overviewPages(paths: ReadonlySet<string>): AnyPage[] {
	return [
		{
			path: '/portal',
			method: 'GET',
			right: 'overview.see',
			async handle({ viewer, texts }) {
				const { sections } = texts.frame;
				const links = sectionsOf(viewer, paths).filter((section) => section !== 'overview');
				const body = html`<p>${texts.numbers.sections}</p>
<ul>${links.map((section) => html`<li><a href="${SECTIONS[section].path}">${sections[section]}</a></li>`)}</ul>`;
				return { page: { title: texts.numbers.title, section: 'overview', body, help: '/docs/portal#overview' } };
			},
		},
	];
}
