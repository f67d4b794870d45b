import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from '@tidings/database/client';

/** Prisma over the pool that all statements go by. */
export const createPrisma = (pool: Pool): PrismaClient =>
  new PrismaClient({ adapter: new PrismaPg(pool) });
