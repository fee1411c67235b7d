# oi in a container of its own: docker build -t oi . && docker run --rm -it -v "$PWD:/home/oi/work" oi
FROM python:3.13.14-slim-trixie AS build

WORKDIR /src
RUN python -m venv /opt/oi
COPY requirements.lock ./
RUN /opt/oi/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY oi_tui oi_tui
COPY harnesses harnesses
COPY interpreter interpreter
COPY themes themes
COPY profiles profiles
COPY skills skills
RUN /opt/oi/bin/pip install --no-cache-dir --no-deps .

FROM python:3.13.14-slim-trixie

RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap git ripgrep \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --shell /bin/bash oi
COPY --from=build /opt/oi /opt/oi
ENV PATH=/opt/oi/bin:$PATH \
    LANG=C.UTF-8

USER oi
RUN mkdir -p /home/oi/work
WORKDIR /home/oi/work
ENTRYPOINT ["oi"]
