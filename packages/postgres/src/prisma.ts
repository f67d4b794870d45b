import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '@tidings/database/client';
import type { Pool } from 'pg';

/** Prisma on the shared pool. */
export const createPrisma = (pool: Pool): PrismaClient =>
  new PrismaClient({ adapter: new PrismaPg(pool) });
