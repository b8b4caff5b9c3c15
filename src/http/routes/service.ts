import type {} from '@fastify/swagger';
import { Type } from '@sinclair/typebox';
import type { FastifyPluginAsync } from 'fastify';
import { answer } from '../negotiation/answer.ts';
import type { HttpRooms } from '../rooms.ts';

export const SERVICE = Type.Object({
	name: Type.String(),
	environment: Type.String({ enum: ['sandbox', 'production'] }),
	links: Type.Object({
		documentation: Type.String({ description: 'For people.' }),
		openapi: Type.String({ description: 'For generators.' }),
		certificate: Type.String({ description: 'That access tokens are made with.' }),
	}),
});

/** A caller without credentials only gets pointers to the documentation. */
export function serviceRoutes({ settings }: Pick<HttpRooms, 'settings'>): FastifyPluginAsync {
	return async (app) => {
		app.get(
			'/',
			{
				config: { isPublic: true },
				schema: {
					summary: 'What this is',
					description: 'Name, environment, and where to read on.',
					tags: ['service'],
					response: { 200: SERVICE },
				},
			},
			async (request, reply) => {
				const { baseUrl, environment } = settings;
				const links = {
					documentation: `${baseUrl}/docs`,
					openapi: `${baseUrl}/openapi.json`,
					certificate: `${baseUrl}/api`,
				};
				return answer(request, reply, { name: 'Tokendrop', environment, links }, { root: 'Service' });
			},
		);
	};
}
