# One image for web, worker and beat; docker-compose.yml says which is which.
FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# A new volume takes its owner and mode from this folder: sessions, links and hashes lie there.
RUN useradd --create-home --uid 1000 faceoff && install --directory --owner=faceoff --group=faceoff --mode=700 /data
WORKDIR /app

# What sets the text of PDFs, with letters for most scripts.
RUN apt-get -qq update \
    && apt-get -qq install -y --no-install-recommends \
        libpango-1.0-0 libpangoft2-1.0-0 fonts-dejavu-core fonts-noto-cjk \
    && rm -rf /var/lib/apt/lists/*

# Packages first: they change more seldom than the code.
COPY requirements.txt .
RUN pip install --requirement requirements.txt
COPY . .

# The measures' loops are compiled here, once, and not in every container that starts.
ENV NUMBA_CACHE_DIR=/home/faceoff/numba
RUN python -m prefir.measures.warm && chown --recursive faceoff "$NUMBA_CACHE_DIR"

# Static files under names that browsers can keep, compressed.
RUN FACEOFF_DATA=/tmp/build python manage.py collectstatic --noinput --verbosity=0 && rm -rf /tmp/build

USER faceoff
ENV FACEOFF_DATA=/data WEB_ADDRESS=0.0.0.0 PORT=8000
VOLUME /data
EXPOSE 8000
CMD ["gunicorn", "--config", "config/gunicorn.py", "config.wsgi"]
